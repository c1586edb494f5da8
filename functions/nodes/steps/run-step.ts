import { emitMetric } from '../../common/emit-metric.ts';
import { log } from '../../common/log.ts';
import { type ConnectionCode, NodeUnreachable, type StepCode, StepFailed } from '../ssh/node-errors.ts';
import type { NodeTarget } from '../ssh/node-target.ts';
import { type ConnectionTimeouts, defaultTimeouts } from '../ssh/ssh-connection.ts';
import { type StepName, stepsOf } from './node-steps.ts';
import { runScript } from './run-script.ts';
import { stepLog } from './step-log.ts';
import { type StepValues, secretsOf, valuesOf } from './step-values.ts';

export type StepResult =
  | { ok: true; log: string }
  | { ok: false; log: string; error: { code: ConnectionCode | StepCode; message: string } };

export type StepOptions = {
  values: StepValues;
  /** told the log so far, its last 64 Ki characters, at most once a second */
  onLog?: (log: string) => unknown;
  timeouts?: ConnectionTimeouts;
};

/** Steps that send the server no secret: they may be the first to connect to it. */
const withoutSecrets: readonly StepName[] = ['check', 'drain', 'remove'];

/**
 * Runs one step on a server. Whatever the server does is a result with a code and a sentence; neither log nor sentence holds a secret. A second run of
 * a step that succeeded changes nothing; one that was cut goes on from where it was.
 */
export async function runStep(
  target: NodeTarget,
  step: StepName,
  { values, onLog = () => {}, timeouts = defaultTimeouts }: StepOptions,
): Promise<StepResult> {
  const output = stepLog(secretsOf(target, values), onLog);
  try {
    const limitSeconds = limitOf(target, step);
    const sent = valuesOf(target, step, values);
    if (target.hostKey === null && !withoutSecrets.includes(step))
      throw new StepFailed('HOST_KEY_UNKNOWN', 'The server’s host key is not known yet: run the step check first.');
    await runScript(target, { name: step, values: sent, limitSeconds, output, timeouts });
    return { ok: true, log: output.finish() };
  } catch (error) {
    if (!(error instanceof NodeUnreachable || error instanceof StepFailed)) throw error;
    emitMetric('NodeErrors', 1, error.code);
    log.warn('a step failed', { node: target.ulid, step, code: error.code, reason: error.message });
    return { ok: false, log: output.finish(), error: { code: error.code, message: error.message } };
  }
}

function limitOf(target: NodeTarget, step: StepName): number {
  const found = stepsOf(target.type).find(({ name }) => name === step);
  if (!found) throw new StepFailed('VALUES_INVALID', `A ${target.type} has no step ${step}.`);
  return found.timeoutSeconds;
}
