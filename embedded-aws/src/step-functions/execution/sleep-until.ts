import type { Clock } from '../../durable/clock.ts';
import { type StopSignal, waitFor } from './stop-signal.ts';

export function sleepUntil(clock: Clock, dueMs: number, stop: StopSignal): Promise<void> {
  return waitFor(stop, (resolve) => clock.wakeAt(dueMs, () => resolve()));
}
