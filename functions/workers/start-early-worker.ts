import { readEnvironment } from '../../shared/environment.ts';
import { invokeInBackground } from '../aws/background-functions.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';
import { createEarlyWorkerToken, earlyWorkerName } from '../table/nodes/early-worker-token.ts';
import { isWorkerReady } from '../table/nodes/worker-presence.ts';

/**
 * Invokes the early worker for a new video, once, unless a worker without a job has called lately and is about to take
 * the probe. A failure delays the first picture and nothing else, so it is logged and not thrown.
 */
export async function startEarlyWorker(videoUlid: string): Promise<void> {
  const functionName = readEnvironment('EARLY_WORKER_FUNCTION');
  if (functionName === undefined) return;
  try {
    if (await isWorkerReady()) return;
    const token = await createEarlyWorkerToken(videoUlid);
    if (token === undefined) return;
    const syncUrl = `${readEnvironment('API_URL')}/api/workers/sync`;
    await invokeInBackground(functionName, { syncUrl, token, workerName: earlyWorkerName(videoUlid) });
  } catch (error) {
    log.warn('the early worker was not invoked', { error: error as Error });
    emitMetric('EarlyWorkersNotInvoked', 1);
  }
}
