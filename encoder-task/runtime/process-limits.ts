import type { JobLimits } from '../../shared/protocol/jobs.ts';
import { findProgram } from './find-program.ts';

/**
 * The command with kernel limits, if util-linux's prlimit is installed. prlimit replaces itself with the program, so
 * the process id is the program's.
 */
export function underLimits(limits: Pick<JobLimits, 'memoryBytes' | 'diskBytes'>, command: string[]): string[] {
  return prlimit ? [prlimit, ...prlimitArgs(limits), ...command] : command;
}

export const prlimitArgs = ({ memoryBytes, diskBytes }: Pick<JobLimits, 'memoryBytes' | 'diskBytes'>): string[] => [
  // private writable memory. A limit of the address space would also count libraries
  `--data=${memoryBytes}`,
  // Thread stacks count as private memory, by default 8 MiB each. SVT-AV1 starts 93 threads per rung, and hangs when
  // one cannot be started. Five rungs of 1080p used 5.2 GB on two cores, and 2.4 GB with this limit.
  `--stack=${threadStackBytes}`,
  // the largest file it may write
  `--fsize=${diskBytes}`,
  // a core dump would contain frames of the upload
  '--core=0',
];

const threadStackBytes = 2 * 2 ** 20;

const prlimit = findProgram('prlimit');
