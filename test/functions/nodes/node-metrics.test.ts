import { expect, test } from 'vitest';
import { emitNodeMetrics } from '../../../functions/nodes/node-metrics.ts';
import { buildNode } from '../../fixtures/store-node.ts';
import { useEmittedMetrics } from '../../fixtures/use-emitted-metrics.ts';

const noted = useEmittedMetrics();

test('nothing is noted as long as no node was set up, since it would be billed', () => {
  emitNodeMetrics([buildNode({ status: 'pending' }), buildNode({ status: 'deleting' })], []);
  expect(noted()).toEqual([]);
});

test('how many nodes have failed is noted, and of proxies how many can deliver', () => {
  const workers = [buildNode({ status: 'failed' }), buildNode()];
  emitNodeMetrics(workers, []);
  expect(noted()).toEqual([{ name: 'FailedNodes', value: 1 }]);
  const proxies = (['active', 'draining', 'failed'] as const).map((status) => buildNode({ type: 'proxy', status }));
  emitNodeMetrics([...workers, ...proxies], []);
  expect(noted().slice(1)).toEqual([
    { name: 'FailedNodes', value: 2 },
    { name: 'ActiveProxies', value: 1 },
  ]);
});

test('the certificate that ends first is noted, of those that were seen', () => {
  emitNodeMetrics(
    [buildNode({ type: 'proxy' })],
    [
      { answers: true, certificateDays: 80 },
      { answers: true, certificateDays: 9.5 },
    ],
  );
  emitNodeMetrics([buildNode({ type: 'proxy' })], [{ answers: false }]);
  expect(noted().filter(({ name }) => name === 'CertificateDaysLeft')).toEqual([
    { name: 'CertificateDaysLeft', value: 9.5 },
  ]);
});
