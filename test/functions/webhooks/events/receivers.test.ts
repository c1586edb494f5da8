import { expect, test } from 'vitest';
import { isReceiver } from '../../../../functions/webhooks/events/receivers.ts';

const webhook = { active: true, events: ['video.completed'], externalUserId: null };
const event = { type: 'video.completed', externalUserId: 'crm-1' } as const;

test.each([
  ['its type', {}, true],
  ['all types', { events: ['*'] }, true],
  ['another type', { events: ['video.failed'] }, false],
  ['its external user', { externalUserId: 'crm-1' }, true],
  ['another external user', { externalUserId: 'crm-2' }, false],
  ['its type, while it is switched off', { active: false }, false],
])('a webhook for %s', (_, changes, expected) => {
  expect(isReceiver({ ...webhook, ...changes }, event)).toBe(expected);
});

test('a webhook of one external user gets no event without one', () => {
  expect(isReceiver({ ...webhook, externalUserId: 'crm-1' }, { ...event, externalUserId: null })).toBe(false);
});
