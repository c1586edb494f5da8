import { type BusEvent, putEvents } from '../../aws/event-bus.ts';
import { mapBounded } from '../../common/concurrency.ts';
import { log } from '../../common/log.ts';
import { type Event, markDispatched } from '../../table/webhooks/event-table.ts';
import { addDelivery } from '../../table/webhooks/webhook-deliveries.ts';
import type { Webhook } from '../../table/webhooks/webhook-table.ts';
import { startSender } from '../start-sender.ts';
import { bodyOf } from './event-data.ts';
import { createReceivers, type Receivers } from './receivers.ts';

const concurrency = 10;

/**
 * Stores what each webhook is sent, starts the senders, and puts the events on the bus. Every step may be repeated: a
 * delivery has the ULID of its event, and an event that was dispatched has its body and is left out. Only the bus may
 * get an event twice. Returns the events that have to be dispatched again.
 */
export async function dispatchEvents(events: readonly Event[]): Promise<Event[]> {
  const waiting = events.filter(({ body }) => body === undefined);
  if (waiting.length === 0) return [];
  const receivers = createReceivers();
  const results = await mapBounded(waiting, (event) => storeDeliveries(event, receivers), concurrency);
  const stored = results.filter((result) => result !== undefined);
  const webhooks = new Set(stored.flatMap(({ webhooks: found }) => found.map(({ ulid }) => ulid)));
  await startSender([...webhooks]);
  const dispatched = await putOnBus(stored);
  return waiting.filter((event) => !dispatched.has(event));
}

type Stored = { event: Event; body: string; webhooks: Webhook[] };

/** Undefined when it failed: this event is dispatched again, and the others of the batch are not delayed by it. */
async function storeDeliveries(event: Event, receivers: Receivers): Promise<Stored | undefined> {
  try {
    const { ulid, type } = event;
    const [body, webhooks] = await Promise.all([bodyOf(event), receivers(event)]);
    for (const webhook of webhooks) await addDelivery(webhook, { ulid, type, body });
    return { event, body, webhooks };
  } catch (error) {
    log.error('an event could not be dispatched', { event: event.ulid, error: error as Error });
    return undefined;
  }
}

/** The events that are on the bus, and are marked as dispatched. */
async function putOnBus(stored: readonly Stored[]): Promise<Set<Event>> {
  const refused = await putEvents(stored.map(busEvent));
  const dispatched = new Set<Event>();
  for (const { event, body } of stored) {
    if (refused.has(event.ulid)) continue;
    await markDispatched(event, body);
    dispatched.add(event);
  }
  return dispatched;
}

const busEvent = ({ event, body }: Stored): BusEvent => ({
  id: event.ulid,
  type: event.type,
  at: new Date(event.createdAt),
  // The id is what a receiver recognises a repeated event by.
  detail: JSON.stringify({ id: event.ulid, ...(JSON.parse(body) as object) }),
});
