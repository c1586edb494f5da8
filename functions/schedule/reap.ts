import { log } from '../../shared/log.ts';
import { launchWorkers } from '../jobs/launch.ts';
import { loseExpired } from '../jobs/lose.ts';

/** Every minute: gives up workers that stopped calling, and starts new ones for what is queued. */
export async function handler(): Promise<void> {
  const lost = await loseExpired();
  const started = await launchWorkers();
  if (lost > 0 || started > 0) log.info('reaped', { lost, started });
}
