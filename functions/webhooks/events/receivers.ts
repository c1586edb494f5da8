import { isAdministratorEvent } from '../../contracts/event-types.ts';
import { listAdministrators } from '../../table/accounts/user-table.ts';
import type { Event } from '../../table/webhooks/event-table.ts';
import { listWebhooks, type Webhook } from '../../table/webhooks/webhook-table.ts';

type Filtered = Pick<Webhook, 'active' | 'events' | 'externalUserId'>;
type Matched = Pick<Event, 'type' | 'externalUserId'>;

/** Whether a webhook of the event's owner gets an event. */
export const isReceiver = (webhook: Filtered, { type, externalUserId }: Matched): boolean =>
  webhook.active &&
  (webhook.events.includes('*') || webhook.events.includes(type)) &&
  (webhook.externalUserId === null || webhook.externalUserId === externalUserId);

/** The webhooks that get an event. */
export type Receivers = (event: Matched & Pick<Event, 'userUlid'>) => Promise<Webhook[]>;

/** Reads the webhooks of an owner once for a batch of events. */
export function createReceivers(): Receivers {
  const known = new Map<string | null, Promise<Webhook[]>>();
  return async (event) => {
    const { userUlid } = event;
    const found = known.get(userUlid) ?? (userUlid === null ? webhooksOfAdministrators() : listWebhooks(userUlid));
    known.set(userUlid, found);
    return (await found).filter((webhook) => isReceiver(webhook, event));
  };
}

async function webhooksOfAdministrators(): Promise<Webhook[]> {
  const lists = await Promise.all((await listAdministrators()).map(listWebhooks));
  return lists.flat().filter(({ events }) => events.some((type) => type === '*' || isAdministratorEvent(type)));
}
