import { expect, test } from 'vitest';
import { emitNodeMetrics } from '../../../functions/nodes/node-metrics.ts';
import { buildNode } from '../../fixtures/records/store-node.ts';
import { useEmittedMetrics } from '../../fixtures/use-emitted-metrics.ts';

const noted = useEmittedMetrics();

test('without registered nodes, no metric is emitted, since each one is billed', () => {
  emitNodeMetrics([buildNode({ status: 'pending' }), buildNode({ status: 'deleting' })], []);
  expect(noted()).toEqual([]);
});

test('the numbers of failed nodes and of active proxies are emitted', () => {
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

test('the shortest remaining validity of the presented certificates is emitted', () => {
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
