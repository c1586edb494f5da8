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
  | {
      ok: true;
      log: string;
      /** of each container, from the step `start` */
      memoryMib?: number;
    }
  | { ok: false; log: string; error: { code: ConnectionCode | StepCode; message: string } };

export type StepOptions = {
  values: StepValues;
  /** called with the last 64 Ki characters of the log, at most once a second */
  onLog?: (log: string) => unknown;
  timeouts?: ConnectionTimeouts;
};

/** Steps that send no secret to the server, so that they may be the first to connect to it and pin its key. */
const withoutSecrets: readonly StepName[] = ['check', 'drain', 'remove'];

/**
 * Runs one step on a server. Failures on the server are results with a code and a message. Log and message contain no
 * secrets. Idempotent: a step that succeeded changes nothing when it runs again, and an interrupted one continues.
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
    const log = output.finish();
    const memory = output.messages.find(({ kind }) => kind === 'memory');
    return { ok: true, log, ...(memory && /^\d{1,8}$/.test(memory.text) && { memoryMib: Number(memory.text) }) };
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
