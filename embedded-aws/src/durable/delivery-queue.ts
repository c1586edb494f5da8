import { randomUUID } from 'node:crypto';
import { openJournal } from './change-journal.ts';
import type { Clock } from './clock.ts';

/** Something that is attempted until it succeeds or is given up. Times are epoch milliseconds. */
export type Delivery<Payload> = {
  id: string;
  payload: Payload;
  addedMs: number;
  dueMs: number;
  /** Attempts that have started before. */
  attempts: number;
  /** Those of them that count as failures, as the service that uses the queue decides. */
  failures: number;
  /** The process ended during the latest attempt. */
  interrupted: boolean;
};

/** When the next attempt is due, and whether this one counts as a failure. */
export type NextAttempt = { dueMs: number; isFailure: boolean };

export type DeliveryQueueOptions<Payload> = {
  /** The journal. */
  path: string;
  clock: Clock;
  /** Resolves to undefined when the delivery has ended, successfully or not. */
  attempt: (delivery: Delivery<Payload>) => Promise<NextAttempt | undefined>;
  report: (error: unknown) => void;
};

type Change<Payload> =
  | { op: 'added'; delivery: Delivery<Payload> }
  | { op: 'started'; id: string }
  | { op: 'postponed'; id: string; next: NextAttempt }
  | { op: 'ended'; id: string };

/** After an error of the code itself. */
const unexpectedErrorMs = 60_000;

/**
 * Opens a queue whose deliveries survive the end of the process: each is attempted at least once after `add` has
 * resolved. An attempt that the process did not survive is repeated with `interrupted`.
 */
export async function openDeliveryQueue<Payload>(options: DeliveryQueueOptions<Payload>) {
  const { path, clock, attempt, report } = options;
  const waiting = new Map<string, Delivery<Payload>>();
  const cancels = new Map<string, () => void>();
  let open = true;

  function apply(change: Change<Payload>): void {
    if (change.op === 'added') return void waiting.set(change.delivery.id, { ...change.delivery });
    const delivery = waiting.get(change.id);
    if (!delivery) return;
    if (change.op === 'ended') waiting.delete(change.id);
    if (change.op === 'started') {
      delivery.attempts += 1;
      delivery.interrupted = true;
    }
    if (change.op === 'postponed') {
      delivery.dueMs = change.next.dueMs;
      delivery.failures += change.next.isFailure ? 1 : 0;
      delivery.interrupted = false;
    }
  }

  const journal = await openJournal({
    path,
    replay: (record) => apply(record as Change<Payload>),
    snapshot: () => [...waiting.values()].map((delivery) => ({ op: 'added', delivery })),
  });

  /** Losing one of these changes only repeats an attempt. */
  function note(change: Change<Payload>): void {
    apply(change);
    journal.append(change, { lazy: true }).catch(report);
  }

  function schedule(delivery: Delivery<Payload>): void {
    cancels.set(
      delivery.id,
      clock.wakeAt(delivery.dueMs, () => void run(delivery)),
    );
  }

  async function run(delivery: Delivery<Payload>): Promise<void> {
    cancels.delete(delivery.id);
    const before = { ...delivery };
    if (!before.interrupted) note({ op: 'started', id: delivery.id });
    let next: NextAttempt | undefined;
    try {
      next = await attempt(before);
    } catch (error) {
      if (open) report(error);
      next = { dueMs: clock.now() + unexpectedErrorMs, isFailure: false };
    }
    if (!open) return;
    if (!next) return note({ op: 'ended', id: delivery.id });
    note({ op: 'postponed', id: delivery.id, next });
    schedule(delivery);
  }

  for (const delivery of waiting.values()) schedule(delivery);

  return {
    /** Resolves when the delivery is on the disk. The first attempt is made after `delayMs`. */
    async add(payload: Payload, delayMs = 0): Promise<void> {
      const addedMs = clock.now();
      const counts = { attempts: 0, failures: 0, interrupted: false };
      const delivery = { id: randomUUID(), payload, addedMs, dueMs: addedMs + delayMs, ...counts };
      const added: Change<Payload> = { op: 'added', delivery };
      apply(added);
      try {
        await journal.append(added);
      } catch (error) {
        waiting.delete(delivery.id);
        throw error;
      }
      if (open) schedule(waiting.get(delivery.id)!);
    },
    /** How many deliveries have not ended. */
    get size(): number {
      return waiting.size;
    },
    /** Running attempts are repeated when the queue is opened again. */
    async close(): Promise<void> {
      open = false;
      for (const cancel of cancels.values()) cancel();
      await journal.close();
    },
  };
}

export type DeliveryQueue<Payload> = {
  add: (payload: Payload, delayMs?: number) => Promise<void>;
  readonly size: number;
  close: () => Promise<void>;
};
