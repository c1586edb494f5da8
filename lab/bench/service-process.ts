import { readFile } from 'node:fs/promises';
import { processesOf } from '../../test/journey/support/processes.ts';

/** Clock ticks a second in Linux's `/proc`, independent of the kernel's timer frequency. */
const ticksPerSecond = 100;
/** Index of the user time among the fields after the command; the system time follows. */
const userField = 11;

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
export async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The command may contain spaces and brackets.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(userField, userField + 2);
  return (Number(user) + Number(system)) / ticksPerSecond;
}
