import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../../../shared/clock.ts';
import { claimDue, nextDue } from '../../table/webhooks/delivery-attempts.ts';
import { freeSlot, keepSlot, type Slot, takeSlot } from '../../table/webhooks/send-slots.ts';
import { sendDelivery } from './send-delivery.ts';

/** The first retry follows after this time: the sender waits for it. The minute schedule starts the later ones. */
const waitedMilliseconds = 6000;

/**
 * Makes the attempts to one webhook that are due, one after the other. At most two calls work on a webhook at a time: a
 * further one ends at once, and so does one whose work another has done.
 */
export async function serveWebhook(webhookUlid: string, endsAt: number): Promise<void> {
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
