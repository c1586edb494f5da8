import type { NodeTarget } from '../ssh/node-target.ts';
import { runAsRoot } from '../ssh/run-as-root.ts';
import { type ConnectionTimeouts, withConnection } from '../ssh/ssh-connection.ts';
import { scriptInput } from './script-input.ts';
import { stepFailure } from './step-failure.ts';
import type { StepLog } from './step-log.ts';

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
