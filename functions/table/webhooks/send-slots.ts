import { now, nowSeconds } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import { tryWrite } from '../items/conditional.ts';
import { queryItems, writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** How many attempts to one webhook are made at a time. */
export const slotsPerWebhook = 2;

/** Twice the longest attempt. What a sender that has died holds is free after this time. */
export const leaseMilliseconds = 30_000;

/** A right to send, for `leaseMilliseconds`: to one webhook, or as one of the senders of the stage. */
export type Slot = { of: string; number: number; holder: string };

const senders = 'all';

/** Undefined when all slots of the webhook are taken. */
export const takeSlot = (webhookUlid: string): Promise<Slot | undefined> => takeOneOf(webhookUlid, slotsPerWebhook);

/** Undefined when as many senders run as may run. */
export const takeSenderSlot = (maxSenders: number): Promise<Slot | undefined> => takeOneOf(senders, maxSenders);

async function takeOneOf(of: string, count: number): Promise<Slot | undefined> {
  const holder = newUlid();
  for (let number = 0; number < count; number++) {
    const item = slotItem({ of, number, holder });
    if (await tryWrite({ put: item, when: { exists: false } })) return { of, number, holder };
    if (await tryWrite({ put: item, when: { below: { freeAtMilliseconds: now() } } })) return { of, number, holder };
  }
  return undefined;
}

/** False when the slot has expired and another sender has it. */
export const keepSlot = (slot: Slot): Promise<boolean> =>
  tryWrite({ put: slotItem(slot), when: { equals: { holder: slot.holder } } });

export const freeSlot = ({ of, number, holder }: Slot): Promise<boolean> =>
  tryWrite({ delete: keys.sendSlot(of, number), when: { equals: { holder } } });

const slotItem = ({ of, number, holder }: Slot) => ({
  ...keys.sendSlot(of, number),
  kind: 'send-slot',
  holder,
  freeAtMilliseconds: now() + leaseMilliseconds,
  expiresAt: nowSeconds() + 24 * 3600,
});

const wantedKey = (webhookUlid: string) => keys.sendSlot('wanted', webhookUlid);

/** Asks the senders that run to send to these webhooks too. */
export const handOver = (webhookUlids: readonly string[]): Promise<void> =>
  writeBatch(
    webhookUlids.map((ulid) => ({
      put: { ...wantedKey(ulid), kind: 'wanted-sender', expiresAt: nowSeconds() + 24 * 3600 },
    })),
  );

/** Webhooks to which a running sender was asked to send, at most `limit`. */
export const listHandedOver = async (limit: number): Promise<string[]> =>
  (await queryItems(wantedKey('').pk, '', limit)).map(({ sk }) => sk);

/** Before the sender looks for what is due: a later request to send to the webhook is not lost. */
export const acceptHandedOver = (webhookUlids: readonly string[]): Promise<void> =>
  writeBatch(webhookUlids.map((ulid) => ({ delete: wantedKey(ulid) })));
