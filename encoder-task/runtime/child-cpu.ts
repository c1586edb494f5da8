import { readFileSync } from 'node:fs';

// USER_HZ is 100 on every Linux platform that Node supports
const ticksPerSecond = 100;

/**
 * CPU seconds of all child processes that have ended so far. Node has no wait4(2), but Linux adds the time of reaped
 * children to cutime and cstime of /proc/self/stat (fields 16 and 17, proc(5)). 0 on systems without /proc.
 */
export const endedChildrenCpuSeconds = (): number =>
  Math.max(0, (sumOfFields('self', [13, 14]) ?? 0) - countedBesideSeconds);

let countedBesideSeconds = 0;

/**
 * Leaves out the CPU seconds of a child that ends now: it belongs to a job that runs beside another one, and counts for
 * itself.
 */
export function countBeside(seconds: number): void {
  countedBesideSeconds += seconds;
}

/** CPU seconds that a running process has used. Undefined on systems without /proc, and when it has ended. */
export const cpuSecondsOf = (pid: number): number | undefined => sumOfFields(pid, [11, 12]);

/** @param positions of the fields, counted from 0 after the name */
function sumOfFields(pid: number | 'self', positions: readonly number[]): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the second field is a name in parentheses that may contain spaces
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return positions.reduce((sum, position) => sum + Number(fields[position]), 0) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** CPU seconds of the child processes that end while `work` runs. */
export async function measureCpu<Result>(work: () => Promise<Result>): Promise<{ result: Result; cpuSeconds: number }> {
  const before = endedChildrenCpuSeconds();
  const result = await work();
  return { result, cpuSeconds: cpuSecondsSince(before) };
}

/** @param before an earlier value of `endedChildrenCpuSeconds` */
export const cpuSecondsSince = (before: number): number =>
  Math.max(0, Math.round((endedChildrenCpuSeconds() - before) * 100) / 100);
