import { StepFailed, stepCodes } from '../ssh/node-errors.ts';
import type { NodeTarget } from '../ssh/node-target.ts';
import { runAsRoot } from '../ssh/run-as-root.ts';
import { type ConnectionTimeouts, withConnection } from '../ssh/ssh-connection.ts';
import { scriptInput } from './script-input.ts';
import type { ScriptMessage, StepLog } from './step-log.ts';

type Script = {
  /** file name without extension */
  name: string;
  values: Readonly<Record<string, string>>;
  limitSeconds: number;
  output: StepLog;
  timeouts: ConnectionTimeouts;
};

/**
 * Connects and runs one script as root.
 * @throws NodeUnreachable, StepFailed
 */
export const runScript = (target: NodeTarget, script: Script): Promise<void> =>
  withConnection(target, script.timeouts, async (connection) => {
    const { name, values, limitSeconds, output } = script;
    const status = await runAsRoot(connection, {
      input: scriptInput(name, values),
      limitSeconds,
      onOutput: output.add,
    });
    output.finish();
    if (status !== 0) throw stepFailure(status, output.messages);
  });

/**
 * The error of a failed step, from the exit statuses of `sudo`, `timeout` and the script, and from the script's
 * messages.
 */
function stepFailure(status: number, messages: readonly ScriptMessage[]): StepFailed {
  if (!messages.some(({ kind }) => kind === 'begun'))
    return new StepFailed(
      'SUDO_REFUSED',
      'The user may not run commands as root without a password: allow timeout with bash in sudoers (NOPASSWD).',
    );
  // `timeout` ends with 124 after its SIGTERM, and with 137 after its SIGKILL.
  if (status === 124 || status === 137)
    return new StepFailed('STEP_TIMED_OUT', 'The step exceeded its time limit and was stopped on the server.');
  // The first error: it may have caused the following ones.
  const [errorCode = '', ...message] = messages.find(({ kind }) => kind === 'error')?.text.split(' ') ?? [];
  const code = stepCodes.find((one) => one === errorCode);
  if (code && message.length > 0) return new StepFailed(code, message.join(' '));
  return new StepFailed('STEP_FAILED', `The step ended with status ${status}: see the end of its log.`);
}
