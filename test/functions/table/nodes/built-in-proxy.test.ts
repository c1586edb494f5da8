import { expect, test } from 'vitest';
import { keepBuiltInProxy } from '../../../../functions/table/nodes/built-in-proxy.ts';
import { findNodeById, listActiveProxies, listNodes } from '../../../../functions/table/nodes/node-table.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

test('the built-in proxy is one node, whose address follows the machine’s', async () => {
  await keepBuiltInProxy({ name: 'local', hostname: '127.0.0.1:3002', scheme: 'http' });
  const [first, ...others] = await listNodes();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ type: 'proxy', status: 'active', ipAddress: '127.0.0.1', sshKey: null });
  expect(await findNodeById(String(first?.id))).toEqual(first);

  await keepBuiltInProxy({ name: 'local', hostname: '127.0.0.1:8082', scheme: 'http' });
  const { ulid, id, createdAt } = first!;
  expect(await listNodes()).toMatchObject([{ ulid, id, createdAt, hostname: '127.0.0.1:8082' }]);
  expect(await listActiveProxies()).toEqual([
    { ulid, scheme: 'http', ipAddress: '127.0.0.1', hostname: '127.0.0.1:8082' },
  ]);
});
