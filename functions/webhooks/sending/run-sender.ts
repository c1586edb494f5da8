import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../../shared/clock.ts';
import { throwAggregate } from '../../common/concurrency.ts';
import { claimDue, nextDue } from '../../table/webhooks/delivery-attempts.ts';
import {
  acceptHandedOver,
  freeSlot,
  keepSlot,
  listHandedOver,
  type Slot,
  takeSlot,
} from '../../table/webhooks/send-slots.ts';
import { sendDelivery } from './send-delivery.ts';

/** A webhook that waits for its endpoint takes a connection and a few kilobytes. */
const maxAtOnce = 100;

/** How often a sender looks for webhooks that were handed over while its own wait for their endpoints. */
const lookMilliseconds = 500;
const renewMilliseconds = 10_000;

/**
 * Serves webhooks concurrently, also those that other senders add while it runs, until none is left or the time is
 * over. An endpoint that does not answer delays no other.
 * @throws AggregateError at the end, if webhooks could not be served
 */
export async function runSender(slot: Slot, first: readonly string[], endsAt: number): Promise<void> {
  const waiting = [...first];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let renewedAt = now();
  const mayStart = (): boolean => running.size < maxAtOnce && now() < endsAt;
  const start = (webhookUlid: string): void => {
    const served: Promise<void> = serveWebhook(webhookUlid, endsAt)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(served));
    running.add(served);
  };
  for (;;) {
    if (waiting.length === 0 && mayStart()) waiting.push(...(await takeHandedOver(maxAtOnce - running.size)));
    while (waiting.length > 0 && mayStart()) start(waiting.shift()!);
    if (running.size === 0) break;
    await firstOf(running, lookMilliseconds);
    if (now() - renewedAt >= renewMilliseconds) {
      renewedAt = now();
      // When another sender has the slot, more of them run for a short time than may run.
      await keepSlot(slot);
    }
  }
  throwAggregate(failures);
}

async function takeHandedOver(limit: number): Promise<string[]> {
  const webhooks = await listHandedOver(limit);
  if (webhooks.length > 0) await acceptHandedOver(webhooks);
  return webhooks;
}

/** Resolves when the first of some promises does, or after a time. */
async function firstOf(promises: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([late, ...promises]);
  clearTimeout(timer);
}

/** The first retry follows after this time: the sender waits for it. The minute schedule starts the later ones. */
const waitedMilliseconds = 6000;

/**
 * Makes the attempts to one webhook that are due, one after the other. At most two calls work on a webhook at a time: a
 * further one ends at once, and so does one whose work another has done.
 */
async function serveWebhook(webhookUlid: string, endsAt: number): Promise<void> {
  while (now() < endsAt) {
    const slot = await takeSlot(webhookUlid);
    if (!slot) return;
    try {
      await sendDue(slot, endsAt);
    } finally {
      await freeSlot(slot);
    }
    // After the slot is free: what was stored since the last look found both slots taken, and is sent here.
    const dueAt = await nextDue(webhookUlid);
    if (dueAt === undefined || dueAt > now() + waitedMilliseconds) return;
    await sleep(Math.max(0, dueAt - now()));
  }
}

async function sendDue(slot: Slot, endsAt: number): Promise<void> {
  do {
    const delivery = await claimDue(slot.of);
    if (!delivery) return;
    await sendDelivery(delivery);
  } while (now() < endsAt && (await keepSlot(slot)));
}
