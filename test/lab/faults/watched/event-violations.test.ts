import { expect, test } from 'vitest';
import type { EventItem, Received } from '../../../../lab/faults/watched/event-properties.ts';
import { type EventProperties, eventViolations } from '../../../../lab/faults/watched/event-violations.ts';
import type { Item } from '../../../journey/support/account.ts';

const ulid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
const event = (sequence: number, type: string, part?: string): EventItem => {
  const subject = part
    ? { kind: 'output', ulid: part, videoUlid: ulid }
    : { kind: type.startsWith('upload') ? 'upload' : 'video', ulid };
  return {
    pk: 'EVENT#u',
    sk: `e${sequence}`,
    kind: 'event',
    ulid: `e${sequence}`,
    userUlid: 'u',
    type,
    sequence,
    subject,
  };
};
const video = { pk: `VIDEO#${ulid}`, sk: 'VIDEO', kind: 'video', ulid, status: 'completed' };
const outputs = { pk: `VIDEO#${ulid}`, sk: 'OUTPUTS', kind: 'outputs', outputs: { o: { status: 'completed' } } };
const history = [
  event(1, 'upload.completed'),
  event(2, 'video.created'),
  event(3, 'output.completed', 'o'),
  event(4, 'video.completed'),
];
const shown = { status: 'completed', playable_at: null, outputs: [{ ulid: 'o', status: 'completed' }], streams: [] };
const received = (one: EventItem): Received => ({
  id: one.ulid,
  type: one.type,
  isAccepted: true,
  data: { ulid: one.subject.ulid, sequence: one.sequence },
  shown: one.subject.kind === 'upload' ? undefined : shown,
});
const factsOf = (events: EventItem[], changes: Partial<EventProperties> = {}): EventProperties => ({
  received: events.map(received),
  listed: events.map(({ ulid: id, type, subject, sequence }) => ({
    ulid: id,
    type,
    data: { ulid: subject.ulid, sequence },
  })),
  items: [video, outputs, ...events],
  ...changes,
});
const whole = factsOf(history);
const last = received(history[3]!);
const lastShown = (changes: object | null): Received[] => [
  ...whole.received.slice(0, 3),
  { ...last, shown: changes && { ...shown, ...changes } },
];
const others: Item[] = [{ ...video, status: 'failed' }, outputs, ...history];

test('events that were delivered, also twice, violate no invariant', () => {
  expect(eventViolations({ ...whole, received: [...whole.received, last] })).toEqual([]);
});

test.each<[string, EventProperties, string]>([
  ['is lost', { ...whole, received: whole.received.slice(1) }, 'the event e1 was not delivered'],
  [
    'was only refused',
    { ...whole, received: [...whole.received.slice(0, 3), { ...last, isAccepted: false }] },
    'the event e4 was not delivered',
  ],
  ['is not listed', { ...whole, listed: whole.listed.slice(1) }, 'the event e1 is not listed by GET /api/events'],
  ['is unknown', { ...whole, received: [...whole.received, { ...last, id: 'x' }] }, 'the event x is not in the table'],
  [
    'comes with another content',
    { ...whole, received: [...whole.received, { ...last, type: 'video.failed' }] },
    'the event e4 was delivered with different contents',
  ],
  [
    'comes before its change',
    { ...whole, received: lastShown({ status: 'running' }) },
    `the event e4, video.completed of ${ulid}, arrived while GET shows the video as running`,
  ],
  [
    'comes before its video',
    { ...whole, received: lastShown(null) },
    `the event e4, video.completed of ${ulid}, arrived while GET shows no video`,
  ],
  [
    'does not exist for a status',
    { ...whole, items: others },
    `the video ${ulid} of ${ulid} is failed, its last event is video.completed`,
  ],
  [
    'follows another end',
    factsOf([...history, event(5, 'video.completed')]),
    `the events of ${ulid} are created, completed, completed`,
  ],
])('an event that %s', (_, facts, sentence) => {
  expect(eventViolations(facts)).toContain(sentence);
});

test('a later state than that of the event is allowed', () => {
  const again = [...history, event(5, 'video.reprocessing'), event(6, 'video.completed'), event(7, 'video.deleted')];
  const facts = factsOf(again, { items: again });
  const gone = facts.received.map((one) => ({ ...one, shown: one.shown === undefined ? undefined : null }));
  expect(eventViolations({ ...facts, received: gone })).toEqual([]);
});
