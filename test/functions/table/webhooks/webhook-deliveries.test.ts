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

test('the first failed deliveries are found without reading the later ones', async () => {
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
  const firstFailed = async (limit: number) => {
    sent.mockClear();
    const found = await listFailedDeliveries(webhook.ulid, 0, limit);
    return { found: found.map(({ ulid }) => ulids.indexOf(ulid)), calls: sent.mock.calls.length };
  };
  expect(await firstFailed(1)).toEqual({ found: [1], calls: 1 });
  expect(await firstFailed(2)).toEqual({ found: [1, 5], calls: 2 });
  expect(await firstFailed(1000)).toEqual({ found: [1, 5, 9], calls: 3 });
  sent.mockRestore();
});
