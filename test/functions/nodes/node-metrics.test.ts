import { expect, test } from 'vitest';
import { emitNodeMetrics } from '../../../functions/nodes/node-metrics.ts';
import { nodeOf } from '../../fixtures/nodes.ts';
import { useNotedMetrics } from '../../fixtures/noted-metrics.ts';

const noted = useNotedMetrics();

test('nothing is noted as long as no node was set up, since it would be billed', () => {
  emitNodeMetrics([nodeOf({ status: 'pending' }), nodeOf({ status: 'deleting' })], []);
  expect(noted()).toEqual([]);
});

test('how many nodes have failed is noted, and of proxies how many can deliver', () => {
  const workers = [nodeOf({ status: 'failed' }), nodeOf()];
  emitNodeMetrics(workers, []);
  expect(noted()).toEqual([{ name: 'FailedNodes', value: 1 }]);
  const proxies = (['active', 'draining', 'failed'] as const).map((status) => nodeOf({ type: 'proxy', status }));
  emitNodeMetrics([...workers, ...proxies], []);
  expect(noted().slice(1)).toEqual([
    { name: 'FailedNodes', value: 2 },
    { name: 'ActiveProxies', value: 1 },
  ]);
});

test('the certificate that ends first is noted, of those that were seen', () => {
  emitNodeMetrics(
    [nodeOf({ type: 'proxy' })],
    [
      { answers: true, certificateDays: 80 },
      { answers: true, certificateDays: 9.5 },
    ],
  );
  emitNodeMetrics([nodeOf({ type: 'proxy' })], [{ answers: false }]);
  expect(noted().filter(({ name }) => name === 'CertificateDaysLeft')).toEqual([
    { name: 'CertificateDaysLeft', value: 9.5 },
  ]);
});
