import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { freeSlot, handOver, listHandedOver, takeSenderSlot } from '../table/webhooks/send-slots.ts';
import { runSender } from './sending/run-sender.ts';

const input = z.object({ webhooks: z.array(z.string()) });

/** The time limit of the function is longer by an attempt. */
const maxMilliseconds = 4 * 60_000;

/**
 * Makes the attempts to webhooks that are due. Each sender serves many webhooks at the same time, and only a few
 * senders run: an account may have ten concurrent invocations for all functions, and endpoints that do not answer would
 * take them all. A further sender hands its webhooks over to those that run, and ends.
 *
 * It is a loop and not one invocation for each attempt, since Lambda stops a function that invokes itself again and
 * again.
 */
export async function handler(raw: unknown): Promise<void> {
  let { webhooks } = input.parse(raw);
  const endsAt = now() + maxMilliseconds;
  const maxSenders = readEnvironment('MAX_WEBHOOK_SENDERS');
  let slot = await takeSenderSlot(maxSenders);
  if (!slot) {
    await handOver(webhooks);
    webhooks = [];
    // A sender that has ended since the first look does not see what was handed over.
    slot = await takeSenderSlot(maxSenders);
  }
  while (slot) {
    try {
      await runSender(slot, webhooks, endsAt);
    } finally {
      await freeSlot(slot);
    }
    webhooks = [];
    // After the slot is free: who found all slots taken has handed over before, or finds this one.
    if (now() >= endsAt || (await listHandedOver(1)).length === 0) return;
    slot = await takeSenderSlot(maxSenders);
  }
}
