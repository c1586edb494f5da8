import { NodeUnreachable } from './node-errors.ts';
import type { Connection } from './ssh-connection.ts';

/** Seconds between the signals that ask a script to end and that end it. */
const killAfterSeconds = 5;
/** What a session may take on top of the script's own limit: to open, and to bring home the last output. */
const sessionSeconds = 20;
const largestOutputBytes = 16 * 1024 * 1024;

type Script = {
  /** the script with its data: all of it goes to the standard input of a root shell */
  input: string;
  limitSeconds: number;
  onOutput: (chunk: Buffer) => void;
};

/**
 * Runs a script as root and resolves with its exit status, the only sign of success being 0. The server's own `timeout` ends it, because a session
 * that is closed here would leave it running there.
 * @throws NodeUnreachable SSH_SESSION_LOST when the connection breaks off, OUTPUT_TOO_LARGE
 */
export async function runAsRoot(
  { ssh, lostFor }: Connection,
  { input, limitSeconds, onOutput }: Script,
): Promise<number> {
  let outputBytes = 0;
  let stop: (error: Error) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const take = (chunk: Buffer): void => {
    outputBytes += chunk.length;
    if (outputBytes <= largestOutputBytes) onOutput(chunk);
    else stop(new NodeUnreachable('OUTPUT_TOO_LARGE', 'The server sent more output than any step has.'));
  };
  const timer = setTimeout(() => stop(sessionLost()), (limitSeconds + killAfterSeconds + sessionSeconds) * 1000);
  try {
    const ended = ssh.execCommand(`sudo -n timeout -k ${killAfterSeconds} ${limitSeconds} bash -s`, {
      stdin: input,
      onStdout: take,
      onStderr: take,
    });
    const { code } = await Promise.race([ended, stopped]);
    // A session that breaks off has no exit status, and neither has a script that a signal ended.
    if (code === null) throw sessionLost();
    return code;
  } catch (error) {
    if (error instanceof NodeUnreachable) throw error;
    throw sessionLost(lostFor() ?? error);
  } finally {
    clearTimeout(timer);
  }
}

const sessionLost = (cause?: unknown): NodeUnreachable =>
  Object.assign(
    new NodeUnreachable(
      'SSH_SESSION_LOST',
      'The connection to the server broke off during the step. What it had not finished, the same step does when it is run again.',
    ),
    { cause },
  );
