import { expect, test, vi } from 'vitest';
import { documents } from '../../../../functions/aws/table-client.ts';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { addDelivery, listFailedDeliveries } from '../../../../functions/table/webhooks/webhook-deliveries.ts';
import { createWebhook } from '../../../../functions/table/webhooks/webhook-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const ulids = Array.from({ length: 10 }, (_, n) => `01K9Z3P6M8N9P0Q1R2S3T4V5${String(n).padStart(2, '0')}`);

test('failed deliveries are found in parts, without reading the later ones', async () => {
  const { user } = await createPerson();
  const shop = { name: 'Shop', url: 'https://shop.example.com/hooks', events: ['*'], active: true };
  const webhook = await createWebhook({ ...shop, externalUserId: null }, user);
  // A page of the table has 1 MB: four of these.
  for (const ulid of ulids) await addDelivery(webhook, { ulid, type: 'video.completed', body: 'x'.repeat(300_000) });
  for (const [n, status] of [
    [1, 'failed'],
    [2, 'delivered'],
    [5, 'exhausted'],
    [9, 'failed'],
  ] as const) {
    await write({ update: keys.delivery(webhook.ulid, ulids[n]!), set: { status } });
  }
  const sent = vi.spyOn(documents, 'send');
  const failedFrom = async (first: number, limits: { limit?: number; examine?: number }) => {
    sent.mockClear();
    const { next, failed } = await listFailedDeliveries(webhook.ulid, ulids[first]!, limits);
    const found = failed.map(({ ulid }) => ulids.indexOf(ulid));
    return { found, next: next && ulids.indexOf(next), calls: sent.mock.calls.length };
  };
  expect(await failedFrom(0, { limit: 1 })).toEqual({ found: [1], next: 2, calls: 1 });
  expect(await failedFrom(2, { limit: 2 })).toEqual({ found: [5, 9], next: undefined, calls: 3 });
  expect(await failedFrom(0, { examine: 3 })).toEqual({ found: [1], next: 3, calls: 1 });
  expect(await failedFrom(6, { examine: 3 })).toEqual({ found: [], next: 9, calls: 1 });
  expect(await failedFrom(0, {})).toEqual({ found: [1, 5, 9], next: undefined, calls: 3 });
  sent.mockRestore();
});
