import { expect, test } from 'vitest';
import { hideUser, updateUser } from '../../../../functions/table/accounts/user-table.ts';
import { createWebhook } from '../../../../functions/table/webhooks/webhook-table.ts';
import { createReceivers, isReceiver } from '../../../../functions/webhooks/events/receivers.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { countTableCalls } from '../../../fixtures/records/count-table-calls.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

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

test('an event of the administrators reads them and their webhooks, however many users there are', async () => {
  const [first, second, removed, demoted, promoted] = await Promise.all(
    [true, true, true, true, false].map(async (isAdmin) => {
      const { user } = await createPerson({ isAdmin });
      const fields = { name: 'n', url: 'https://shop.example.com/', events: ['*'], active: true, externalUserId: null };
      return { user, webhook: await createWebhook(fields, user) };
    }),
  );
  await Promise.all(Array.from({ length: 10 }, () => createPerson()));
  await updateUser(promoted!.user, { isAdmin: true }, first!.user);
  await updateUser(demoted!.user, { isAdmin: false }, first!.user);
  await hideUser(removed!.user, first!.user);
  const failed = { type: 'node.failed', userUlid: null, externalUserId: null } as const;
  const received: string[] = [];
  const { read } = await countTableCalls(async () => {
    received.push(...(await createReceivers()(failed)).map(({ ulid }) => ulid));
  });
  expect(received.toSorted()).toEqual([first, second, promoted].map((one) => one!.webhook.ulid).toSorted());
  // three administrators with one webhook each
  expect(read).toBe(6);
});
