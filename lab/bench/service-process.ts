import { readFile } from 'node:fs/promises';
import { processesOf } from '../../test/journey/support/processes.ts';

/** Clock ticks a second in Linux's `/proc`, independent of the kernel's timer frequency. */
const ticksPerSecond = 100;
/** Indices among the fields after the command. The system times follow the user times. */
const parentField = 1;
const userField = 11;
const endedUserField = 13;

/** CPU seconds, user and system, that the service of a data folder has used, without its workers. */
export const serviceCpuSeconds = async (dataFolder: string): Promise<number> =>
  cpuSecondsOf(await servicePid(dataFolder));

/** Resident memory of the service of a data folder, without its workers. */
export async function serviceMemoryMiB(dataFolder: string): Promise<number> {
  const status = await readFile(`/proc/${await servicePid(dataFolder)}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

async function servicePid(dataFolder: string): Promise<number> {
  const service = (await processesOf(dataFolder)).find(({ command }) => command.includes('local/main.ts'));
  if (!service) throw new Error(`there is no service on ${dataFolder}`);
  return service.pid;
}

/** CPU seconds, user and system, that a process has used. */
export const cpuSecondsOf = async (pid: number): Promise<number> => (await timesOf(pid)).ownSeconds;

export type ProcessTimes = {
  pid: number;
  parentPid: number;
  ownSeconds: number;
  /** of the children that have ended, and of theirs */
  endedChildrenSeconds: number;
};

/** CPU seconds, user and system. */
export async function timesOf(pid: number): Promise<ProcessTimes> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The command may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const secondsAt = (field: number): number => (Number(fields[field]) + Number(fields[field + 1])) / ticksPerSecond;
  return {
    pid,
    parentPid: Number(fields[parentField]),
    ownSeconds: secondsAt(userField),
    endedChildrenSeconds: secondsAt(endedUserField),
  };
}
