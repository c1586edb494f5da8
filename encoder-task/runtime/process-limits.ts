import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { JobLimits } from '../../shared/protocol/jobs.ts';

/** The command under the kernel's limits, where util-linux's prlimit is installed. It execs, so the process id stays the program's. */
export function underLimits(limits: Pick<JobLimits, 'memoryBytes' | 'diskBytes'>, command: string[]): string[] {
  return prlimit ? [prlimit, ...prlimitArgs(limits), ...command] : command;
}

export const prlimitArgs = ({ memoryBytes, diskBytes }: Pick<JobLimits, 'memoryBytes' | 'diskBytes'>): string[] => [
  // private writable memory; address space would also count the libraries and refuse runs that are small in truth
  `--data=${memoryBytes}`,
  // Threads' stacks are part of it, at 8 MiB each unless said otherwise: SVT-AV1 starts 93 a rung, and hangs for ever when one cannot be started. Five rungs
  // of 1080p came to 5.2 GB on two cores, and with these to 2.4 GB.
  `--stack=${threadStackBytes}`,
  // the largest file it may write
  `--fsize=${diskBytes}`,
  // a core dump would hold a stranger's frames
  '--core=0',
];

const threadStackBytes = 2 * 2 ** 20;

const prlimit = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'prlimit'))
  .find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
