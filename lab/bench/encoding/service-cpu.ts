import { readdir } from 'node:fs/promises';
import type { Service } from '../../../test/journey/support/service.ts';
import { type ProcessTimes, timesOf } from '../service-process.ts';

/** CPU seconds by part: `service`, `workers`, and `ffmpeg, KIND` for each kind of job. */
export type CpuParts = Record<string, number>;

export type ServiceCpu = { start: () => Promise<void>; parts: () => Promise<CpuParts> };

/**
 * Counts the CPU time, user and system, of a service, its workers and all that they start, from the last call of
 * `start` on. Workers log that of ffmpeg when a job ends, at level INFO.
 */
export function followServiceCpu({ child, errors }: Pick<Service, 'child' | 'errors'>): ServiceCpu {
  let before = { allSeconds: 0, serviceSeconds: 0 };
  let firstLine = 0;
  return {
    start: async () => {
      before = await countTree(child.pid!);
      firstLine = errors.length;
    },
    parts: async () => {
      const { allSeconds, serviceSeconds } = await countTree(child.pid!);
      const ffmpeg: CpuParts = {};
      for (const { kind, cpuSeconds } of errors.slice(firstLine).flatMap(endedJob)) {
        ffmpeg[`ffmpeg, ${kind}`] = (ffmpeg[`ffmpeg, ${kind}`] ?? 0) + cpuSeconds;
      }
      const service = serviceSeconds - before.serviceSeconds;
      const ffmpegSeconds = Object.values(ffmpeg).reduce((sum, seconds) => sum + seconds, 0);
      return { service, workers: allSeconds - before.allSeconds - service - ffmpegSeconds, ...ffmpeg };
    },
  };
}

/** Of `npm start`, which starts one process with the functions and all services; that one starts the workers. */
async function countTree(root: number): Promise<{ allSeconds: number; serviceSeconds: number }> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  // Processes may end during the scan. Their time is then that of their parents.
  const found = await Promise.all(pids.map((pid) => timesOf(pid).catch(() => undefined)));
  const tree = inTree(
    root,
    found.filter((times) => times !== undefined),
  );
  const service = tree.filter(({ pid, parentPid }) => pid === root || parentPid === root);
  return {
    allSeconds: tree.reduce((sum, { ownSeconds, endedChildrenSeconds }) => sum + ownSeconds + endedChildrenSeconds, 0),
    serviceSeconds: service.reduce((sum, { ownSeconds }) => sum + ownSeconds, 0),
  };
}

function inTree(root: number, processes: ProcessTimes[]): ProcessTimes[] {
  const below = (pid: number): ProcessTimes[] =>
    processes.filter(({ parentPid }) => parentPid === pid).flatMap((one) => [one, ...below(one.pid)]);
  return [...processes.filter(({ pid }) => pid === root), ...below(root)];
}

type EndedJob = { kind: string; cpuSeconds: number };

/** The job whose end a line of the log tells. Other lines are those of functions, with other properties. */
function endedJob(line: string): EndedJob[] {
  const json = /\{.*\}$/.exec(line)?.[0];
  if (json === undefined || !/"job (done|failed)"/.test(json)) return [];
  const { kind, cpuSeconds } = JSON.parse(json) as EndedJob;
  return [{ kind, cpuSeconds }];
}
