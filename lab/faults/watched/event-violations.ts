import type { Item } from '../../../test/journey/support/account.ts';
import { videosIn } from '../checks/table-records.ts';
import { type EventItem, type ListedEvent, type Received, userEventsIn, videoOf } from './event-properties.ts';

export type EventProperties = { received: readonly Received[]; listed: readonly ListedEvent[]; items: readonly Item[] };

/**
 * Invariants of the events after all deliveries have ended: none is lost, none arrives before GET shows its change, and
 * no status changes without one. Each violation is a sentence.
 */
export function eventViolations({ received, listed, items }: EventProperties): string[] {
  const stored = userEventsIn(items);
  const ids = {
    received: new Set(received.filter(({ isAccepted }) => isAccepted).map(({ id }) => id)),
    listed: new Set(listed.map(({ ulid }) => ulid)),
    stored: new Set(stored.map(({ ulid }) => ulid)),
  };
  const unless = (known: ReadonlySet<string>, all: ReadonlySet<string>, sentence: string): string[] =>
    [...all].filter((id) => !known.has(id)).map((id) => `the event ${id} ${sentence}`);
  const histories = Map.groupBy(stored, videoOf);
  return [
    ...unless(ids.received, ids.stored, 'was not delivered'),
    ...unless(ids.listed, ids.stored, 'is not listed by GET /api/events'),
    ...unless(ids.stored, new Set([...ids.received, ...ids.listed]), 'is not in the table'),
    ...differingRepeats(received),
    ...received.flatMap((one) => shownTooLate(one, stored)),
    ...[...histories].flatMap(([ulid, events]) => wrongOrder(ulid, events)),
    ...withoutEvent(items, histories),
  ];
}

/** A repeated delivery has the same content. */
function differingRepeats(received: readonly Received[]): string[] {
  const contents = Map.groupBy(received, ({ id }) => id);
  return [...contents]
    .filter(([, all]) => new Set(all.map(({ type, data }) => JSON.stringify([type, data]))).size > 1)
    .map(([id]) => `the event ${id} was delivered with different contents`);
}

/** GET shows the change of an event when the event arrives, or a later state of the same record. */
function shownTooLate({ id, type, data, shown }: Received, stored: readonly EventItem[]): string[] {
  const event = stored.find(({ ulid }) => ulid === id);
  if (!event || shown === undefined) return [];
  const wrong = (what: string): string[] => [`the event ${id}, ${type} of ${videoOf(event)}, arrived while ${what}`];
  if (data.sequence !== event.sequence) return wrong(`its sequence is ${data.sequence} and not ${event.sequence}`);
  if (type === 'video.deleted') return shown === null ? [] : wrong(`GET shows the video as ${shown.status}`);
  const later = stored.filter((other) => videoOf(other) === videoOf(event) && other.sequence > event.sequence);
  const hasLater = (...types: string[]): boolean => later.some((other) => types.includes(other.type));
  if (shown === null) return hasLater('video.deleted') ? [] : wrong('GET shows no video');
  if (hasLater('video.reprocessing', 'video.deleted')) return [];
  const [kind, change] = type.split('.');
  if (kind === 'output' || kind === 'stream') {
    const part = shown[`${kind}s`].find(({ ulid }) => ulid === data.ulid);
    return part?.status === change ? [] : wrong(`GET shows this ${kind} as ${part?.status ?? 'not there'}`);
  }
  if (type === 'video.completed' || type === 'video.failed') {
    return shown.status === change ? [] : wrong(`GET shows the video as ${shown.status}`);
  }
  if (type === 'video.playable') {
    return shown.playable_at !== null || hasLater('video.failed') ? [] : wrong('GET shows no playable_at');
  }
  if (type !== 'video.reprocessing') return [];
  if (hasLater('video.completed', 'video.failed', 'video.replace_failed')) return [];
  return isFinal(shown.status) ? wrong(`GET shows the video as ${shown.status}`) : [];
}

const isFinal = (status: string | undefined): boolean => status === 'completed' || status === 'failed';

/** A video is created once, each run of it ends once, and nothing follows its deletion. */
function wrongOrder(ulid: string, events: readonly EventItem[]): string[] {
  const main = /^video\.(created|completed|failed|reprocessing|replace_failed|deleted)$/;
  const types = events.filter(({ type }) => main.test(type)).map(({ type }) => type.slice('video.'.length));
  if (types.length === 0) return [];
  const run = '(completed|failed|replace_failed)';
  const order = new RegExp(`^created( ${run} reprocessing)*( ${run})?( deleted)?$`);
  return order.test(types.join(' ')) ? [] : [`the events of ${ulid} are ${types.join(', ')}`];
}

type Part = { ulid: string; status: string; type?: string };

/** Every status that is stored at the end was reported. */
function withoutEvent(items: readonly Item[], histories: ReadonlyMap<string, EventItem[]>): string[] {
  return videosIn(items)
    .filter(({ deletedAt }) => deletedAt === undefined)
    .flatMap(({ ulid, status }) => {
      const events = histories.get(ulid) ?? [];
      const missing = (kind: string, part: Part): string[] => {
        const last = events.findLast(
          ({ subject, type }) => subject.kind === kind && subject.ulid === part.ulid && endings.test(type),
        );
        return !isFinal(part.status) || last?.type === `${kind}.${part.status}`
          ? []
          : [`the ${kind} ${part.ulid} of ${ulid} is ${part.status}, its last event is ${last?.type}`];
      };
      return [
        ...(events.some(({ type }) => type === 'upload.completed') ? [] : [`${ulid} has no event upload.completed`]),
        ...missing('video', { ulid, status }),
        ...partsOf(items, ulid, 'outputs').flatMap((part) => missing('output', part)),
        // The original is no result of the encoder.
        ...partsOf(items, ulid, 'streams').flatMap((part) => (part.type === 'original' ? [] : missing('stream', part))),
      ];
    });
}

const endings = /\.(completed|failed)$/;

const partsOf = (items: readonly Item[], videoUlid: string, kind: 'outputs' | 'streams'): Part[] =>
  items
    .filter(({ pk, sk }) => pk === `VIDEO#${videoUlid}` && sk === kind.toUpperCase())
    .flatMap((item) => Object.entries(item[kind] as Record<string, Part>).map(([ulid, part]) => ({ ...part, ulid })));
