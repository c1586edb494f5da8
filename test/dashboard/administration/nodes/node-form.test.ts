import { expect, test } from 'vitest';
import { changesOf, creationOf, formOf } from '../../../../dashboard/administration/nodes/node-form.ts';

const form = { ...formOf(undefined, '7'), name: 'encoder-1', ipAddress: ' 203.0.113.10 ', user: 'deploy' };

test('each type is registered with its own fields only', () => {
  const common = { name: 'encoder-1', ip_address: '203.0.113.10', user: 'deploy', ssh_key_id: 7 };
  expect(creationOf({ ...form, workers: '4', hostname: 'left.example.com', cdnMode: true })).toEqual({
    ...common,
    type: 'worker',
    workers: 4,
  });
  expect(creationOf({ ...form, type: 'proxy', hostname: 'edge.example.com', workers: '4' })).toEqual({
    ...common,
    type: 'proxy',
    hostname: 'edge.example.com',
    cdn_mode: false,
  });
});

test('only changes are sent, and never the type', () => {
  expect(changesOf(form, form)).toEqual({});
  expect(changesOf(form, { ...form, workers: '2', sshKeyId: '8' })).toEqual({ workers: 2, ssh_key_id: 8 });
});
