import { expect, test } from 'vitest';
import { emitNodeMetrics } from '../../../functions/nodes/node-metrics.ts';
import { buildNode } from '../../fixtures/records/store-node.ts';
import { useEmittedMetrics } from '../../fixtures/use-emitted-metrics.ts';

const noted = useEmittedMetrics();
const none = { known: [], failed: 0, workers: 0 };

test('without registered nodes, no metric is emitted, since each one is billed', () => {
  emitNodeMetrics({ ...none, known: [buildNode({ status: 'pending' }), buildNode({ status: 'deleting' })] }, []);
  expect(noted()).toEqual([]);
});

test('the numbers of failed nodes and of active proxies are emitted', () => {
  emitNodeMetrics({ ...none, failed: 1, workers: 2 }, []);
  expect(noted()).toEqual([{ name: 'FailedNodes', value: 1 }]);
  const proxies = (['active', 'draining', 'failed'] as const).map((status) => buildNode({ type: 'proxy', status }));
  emitNodeMetrics({ known: proxies, failed: 2, workers: 2 }, []);
  expect(noted().slice(1)).toEqual([
    { name: 'FailedNodes', value: 2 },
    { name: 'ActiveProxies', value: 1 },
  ]);
});

test('the shortest remaining validity of the presented certificates is emitted', () => {
  emitNodeMetrics({ ...none, known: [buildNode({ type: 'proxy' })] }, [
    { responds: true, certificateDays: 80 },
    { responds: true, certificateDays: 9.5 },
  ]);
  emitNodeMetrics({ ...none, known: [buildNode({ type: 'proxy' })] }, [{ responds: false }]);
  expect(noted().filter(({ name }) => name === 'CertificateDaysLeft')).toEqual([
    { name: 'CertificateDaysLeft', value: 9.5 },
  ]);
});
