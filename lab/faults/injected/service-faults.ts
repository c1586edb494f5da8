import { setTimeout as sleep } from 'node:timers/promises';
import type { Death } from '../service/restartable-service.ts';
import { type Edge, type Fault, type FaultSet, stateNames } from './fault.ts';

/** In half of the cases workers and encoders die at the same moment, as when the machine fails. */
const killedAt = ({ state, edge }: Edge): Fault => ({
  name: `kill -9 of the service as ${state} is ${edge}`,
  async inject({ startVideo, stateReached, service, random, note }) {
    const workersToo = random.share() < 0.5;
    const video = await startVideo();
    await stateReached(video, { state, edge });
    await service.restart({ signal: 'SIGKILL', workersToo });
    note(`${workersToo ? 'workers too' : 'without workers'}, ${video.ulid}`);
  },
});

const diesAtAnyTime = (name: string, death: Death): Fault => ({
  name,
  weight: 2,
  async inject({ startVideo, service, random, note }) {
    const video = await startVideo({ template: 'slow' });
    const waitMs = random.between(0, 4_000);
    await sleep(waitMs);
    await service.restart(death);
    note(`${waitMs} ms after the upload of ${video.ulid}`);
  },
});

const edges = stateNames.flatMap((state) => (['entered', 'left'] as const).map((edge) => ({ state, edge })));

export const serviceFaults: FaultSet = {
  faults: [
    ...edges.map(killedAt),
    diesAtAnyTime('kill -9 of the service at any time', { signal: 'SIGKILL' }),
    diesAtAnyTime('kill -9 of all processes at any time', { signal: 'SIGKILL', workersToo: true }),
    diesAtAnyTime('SIGTERM to the service', { signal: 'SIGTERM' }),
    diesAtAnyTime('Ctrl-C', { signal: 'SIGINT' }),
  ],
};
