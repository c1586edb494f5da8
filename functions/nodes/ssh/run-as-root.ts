import { NodeUnreachable } from './node-errors.ts';
import type { Connection } from './ssh-connection.ts';

/** Seconds between SIGTERM and SIGKILL. */
const killAfterSeconds = 5;
/** Added to the script's time limit: to open the session, and to receive the last output. */
const sessionOverheadSeconds = 20;
const maxOutputBytes = 16 * 1024 * 1024;

type Script = {
  /** the script and its data, for the standard input of a root shell */
  input: string;
  limitSeconds: number;
  onOutput: (chunk: Buffer) => void;
};

/**
 * Runs a script as root and resolves with its exit status. Only 0 is success. `timeout` on the server enforces the
 * limit, because a script continues to run when only its session is closed.
 * @throws NodeUnreachable SSH_SESSION_LOST when the connection is lost, OUTPUT_TOO_LARGE
 */
export async function runAsRoot(
  { ssh, connectionError }: Connection,
  { input, limitSeconds, onOutput }: Script,
): Promise<number> {
  let outputBytes = 0;
  let stop: (error: Error) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const receive = (chunk: Buffer): void => {
    outputBytes += chunk.length;
    if (outputBytes <= maxOutputBytes) onOutput(chunk);
    else stop(new NodeUnreachable('OUTPUT_TOO_LARGE', 'The script printed too much output.'));
  };
  const timer = setTimeout(
    () => stop(sessionLost()),
    (limitSeconds + killAfterSeconds + sessionOverheadSeconds) * 1000,
  );
  try {
    const ended = ssh.execCommand(`sudo -n timeout -k ${killAfterSeconds} ${limitSeconds} bash -s`, {
      stdin: input,
      onStdout: receive,
      onStderr: receive,
    });
    const { code } = await Promise.race([ended, stopped]);
    // There is no exit status after a lost session, or when a signal ended the script.
    if (code === null) throw sessionLost();
    return code;
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    throw sessionLost(connectionError() ?? error);
  } finally {
    clearTimeout(timer);
  }
}

const sessionLost = (cause?: unknown): NodeUnreachable =>
  Object.assign(
    new NodeUnreachable(
      'SSH_SESSION_LOST',
      'The connection to the server was lost during the step. Run the step again: it continues where it stopped.',
    ),
    { cause },
  );
