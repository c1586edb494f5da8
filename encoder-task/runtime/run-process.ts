import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobLimits } from '../../shared/protocol/jobs.ts';
import { underLimits } from './process-limits.ts';
import { type ProcessPriority, withPriority } from './process-priority.ts';
import { chownFolder, unprivilegedUser } from './unprivileged-user.ts';

const stderrTailBytes = 8 * 1024;

/** The folder, limits, priority and stop signal that a job gives its child processes. */
export type ProcessContext = Pick<Run, 'folder' | 'limits' | 'priority' | 'signal'>;

export type Run = {
  program: 'ffmpeg' | 'ffprobe';
  args: string[];
  /** working directory, home and temporary folder of the process */
  folder: string;
  limits: JobLimits;
  priority: ProcessPriority;
  signal: AbortSignal;
  /** called with each line of stdout; a line with new values counts as progress */
  onLine: (line: string) => void;
  /** the part of a line of stderr to keep; all of it by default */
  readMessage?: (line: string) => string | undefined;
};
export type Ended = { exitCode: number; stderrTail: string };

/**
 * Runs ffmpeg or ffprobe in a separate process group, never as root. Resolves with any exit code. Throws JobError
 * ENCODER_STALLED, MEMORY_LIMIT or DISK_FULL when the process was killed, and the signal's reason when it aborts. The
 * whole group has ended by then.
 */
export async function run(given: Run): Promise<Ended> {
  const { program, args, folder, limits, priority, signal, onLine, readMessage } = given;
  await chownFolder(folder);
  signal.throwIfAborted();
  const [command, ...commandArgs] = withPriority(priority, underLimits(limits, [program, ...args]));
  const child = spawn(command!, commandArgs, {
    cwd: folder,
    // not the worker's environment, which contains the token
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LC_ALL: 'C', AV_LOG_FORCE_NOCOLOR: '1', SVT_LOG: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...unprivilegedUser,
  });
  let killReason: unknown;
  const stop = (reason: unknown): void => {
    killReason ??= reason;
    killGroup(child);
  };
  const onAbort = (): void => stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const stall = setTimeout(
    () => stop(new JobError('ENCODER_STALLED', `${program} made no progress for ${limits.stallSeconds} s`)),
    limits.stallSeconds * 1000,
  );
  const lastValues = new Map<string, string>();
  createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (isProgress(line, lastValues)) stall.refresh();
    onLine(line);
  });
  let stderrTail = '';
  const keep = (text: string): void => {
    stderrTail = (stderrTail + text).slice(-stderrTailBytes);
  };
  if (readMessage) {
    createInterface({ input: child.stderr, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      const kept = readMessage(line);
      if (kept !== undefined) keep(`${kept}\n`);
    });
  } else child.stderr.setEncoding('utf8').on('data', keep);
  try {
    const { exitCode, exitSignal } = await ended(child, program);
    if (killReason) throw killReason;
    if (exitSignal === 'SIGKILL') throw new JobError('MEMORY_LIMIT', `${program} was killed by the operating system`);
    if (exitSignal === 'SIGXFSZ')
      throw new JobError('DISK_FULL', `${program} wrote more than ${limits.diskBytes} bytes`);
    if (exitSignal) throw new JobError('ENCODER_FAILED', `${program} was ended by ${exitSignal}`);
    return { exitCode: exitCode ?? 1, stderrTail };
  } finally {
    clearTimeout(stall);
    signal.removeEventListener('abort', onAbort);
  }
}

/** `-progress` prints its keys while the process runs: only a changed counter is progress. Every line of ffprobe is. */
function isProgress(line: string, lastValues: Map<string, string>): boolean {
  const [, key, value] = /^([a-z0-9_.]+)=\s*([^|]*)$/.exec(line) ?? [];
  if (key === undefined || value === undefined) return true;
  if (!counters.has(key) || lastValues.get(key) === value) return false;
  lastValues.set(key, value);
  return true;
}

const counters = new Set(['frame', 'out_time_us', 'total_size', 'progress']);

const ended = (child: ChildProcess, program: string) =>
  new Promise<{ exitCode: number | null; exitSignal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', (cause) => reject(new JobError('INTERNAL', `${program} could not be started`, { cause })));
    child.once('close', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
  });

/** SIGKILL, because the files of a stopped run are removed with its folder. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // the whole group has ended already
  }
}
