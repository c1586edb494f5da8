import { readFile } from 'node:fs/promises';
import { processesOf } from '../journey/processes.ts';

/** Of Linux's `/proc`, whatever the kernel's own clock. */
const ticksPerSecond = 100;
/** Position of the user time, which the system time follows, among the fields after the command. */
const userField = 11;

/** CPU seconds, user and system, that the service on a data folder has used so far, without its workers. */
export async function serviceCpuSeconds(dataFolder: string): Promise<number> {
  const service = (await processesOf(dataFolder)).find(({ command }) => command.includes('infra/local/main.ts'));
  if (!service) throw new Error(`there is no service on ${dataFolder}`);
  const stat = await readFile(`/proc/${service.pid}/stat`, 'utf8');
  // The command may have spaces and brackets of its own.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(userField, userField + 2);
  return (Number(user) + Number(system)) / ticksPerSecond;
}
