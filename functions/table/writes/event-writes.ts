import { now, nowSeconds, timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import type { EventType } from '../../contracts/event-types.ts';
import type { Write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import type { Video } from '../records.ts';

/** How long events are listed. */
export const eventDays = 7;

/** The record that an event is about. The data of the event is this record, as the API shows it. */
export type EventSubject =
  | { kind: 'upload'; ulid: string }
  | { kind: 'video'; ulid: string }
  | { kind: 'output' | 'stream' | 'captions' | 'delivery'; videoUlid: string; ulid: string }
  | { kind: 'ingest'; ulid: string }
  | { kind: 'node'; ulid: string };

export type NewEvent = {
  type: EventType;
  /** the user whose webhooks receive it; null for events of the administrators */
  ownerUlid: string | null;
  /** webhooks can be limited to one value */
  externalUserId: string | null;
  subject: EventSubject;
  /** the record as it was, for an event after which it cannot be read any more */
  lastRecord?: Readonly<Record<string, unknown>>;
};

/**
 * One event, as part of the transaction that makes the change which it reports. The condition of that change has to
 * fail when the change was made before, so that it has one event however often it is tried. The stream of the table
 * passes new events to `functions/events`.
 */
export function eventWrite({ type, ownerUlid, externalUserId, subject, lastRecord }: NewEvent): Write {
  const ulid = newUlid();
  return {
    put: {
      ...keys.event(ownerUlid, ulid),
      // In this list until it is dispatched.
      ...owned('all', 'event', ulid),
      kind: 'event',
      ulid,
      type,
      // Not as ownerUlid, which is the key of an index and must be a text.
      userUlid: ownerUlid,
      externalUserId,
      subject,
      sequence: nextSequence(),
      ...(lastRecord && { lastRecord }),
      createdAt: timestamp(),
      expiresAt: nowSeconds() + eventDays * 24 * 3600,
    },
  };
}

/** The part of a video's record that its events need. */
export type EventOwner = Pick<Video, 'ulid' | 'ownerUlid' | 'externalUserId'>;

/** An event about a video. */
export const videoEvent = (
  type: Extract<EventType, `video.${string}`>,
  { ulid, ownerUlid, externalUserId }: EventOwner,
  lastRecord?: Video,
): Write =>
  eventWrite({
    type,
    ownerUlid,
    externalUserId,
    subject: { kind: 'video', ulid },
    ...(lastRecord && { lastRecord }),
  });

/** The end of an output or stream of a video. */
export const partEvent = (
  kind: 'output' | 'stream',
  status: 'completed' | 'failed',
  { ulid: videoUlid, ownerUlid, externalUserId }: EventOwner,
  ulid: string,
): Write => eventWrite({ type: `${kind}.${status}`, ownerUlid, externalUserId, subject: { kind, videoUlid, ulid } });

/** Captions of a video that were added, or that could not be made from its source. */
export const captionEvent = (
  result: 'added' | 'failed',
  { ulid: videoUlid, ownerUlid, externalUserId }: EventOwner,
  ulid: string,
): Write =>
  eventWrite({
    type: `captions.${result}`,
    ownerUlid,
    externalUserId,
    subject: { kind: 'captions', videoUlid, ulid },
  });

export const nodeEvent = (type: 'node.failed' | 'node.recovered', { ulid }: { ulid: string }): Write =>
  eventWrite({ type, ownerUlid: null, externalUserId: null, subject: { kind: 'node', ulid } });

let lastSequence = 0;

/**
 * The sequence of an event: microseconds since 1970, so that a later change of a video has a greater one. A counter in
 * the table would need a write of its own, since a video, its streams and its outputs are different items.
 */
function nextSequence(): number {
  lastSequence = Math.max(lastSequence + 1, now() * 1000);
  return lastSequence;
}
