import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { claimDue, freeSlot, keepSlot, nextDue, type Slot, takeSlot } from '../table/webhooks/delivery-attempts.ts';
import { sendDelivery } from './sending/send-delivery.ts';

const input = z.object({ webhook: z.string() });

/** The time limit of the function is longer by an attempt. */
const maxMilliseconds = 4 * 60_000;

/** The first retry follows after this time: the sender waits for it. The minute schedule starts the later ones. */
const waitedMilliseconds = 6000;

/**
 * Makes the attempts to one webhook that are due, one after the other. At most two senders work on a webhook at a time:
 * a further one ends at once, and so does one whose work another sender has done. Each invocation serves one webhook,
 * so a slow endpoint delays no other.
 *
 * It is a loop and not one invocation for each attempt, since Lambda stops a function that invokes itself again and
 * again.
 */
export async function handler(raw: unknown): Promise<void> {
  const { webhook } = input.parse(raw);
  const endsAt = now() + maxMilliseconds;
  while (now() < endsAt) {
    const slot = await takeSlot(webhook);
    if (!slot) return;
    try {
      await sendDue(slot, endsAt);
    } finally {
      await freeSlot(slot);
    }
    // After the slot is free: what was stored since the last look found both slots taken, and is sent here.
    const dueAt = await nextDue(webhook);
    if (dueAt === undefined || dueAt > now() + waitedMilliseconds) return;
    await sleep(Math.max(0, dueAt - now()));
  }
}

async function sendDue(slot: Slot, endsAt: number): Promise<void> {
  do {
    const delivery = await claimDue(slot.webhookUlid);
    if (!delivery) return;
    await sendDelivery(delivery);
  } while (now() < endsAt && (await keepSlot(slot)));
}
