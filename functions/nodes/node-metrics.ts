import { emitMetric } from '../common/emit-metric.ts';
import type { Node } from '../table/nodes/node-table.ts';
import type { Health } from './check-health.ts';

/**
 * Emits the numbers of failed nodes and active proxies, whether these deliver, and the remaining days of certificates.
 * Without registered nodes it emits nothing, which saves the cost of the metrics.
 * @param known the proxies, and other nodes that were read
 * @param workers of live nodes
 */
export function emitNodeMetrics(
  { known, failed, workers }: { known: readonly Node[]; failed: number; workers: number },
  healths: readonly Health[],
): void {
  const registered = known.filter(({ status }) => status !== 'pending' && status !== 'deleting');
  if (registered.length === 0 && failed === 0 && workers === 0) return;
  emitMetric('FailedNodes', failed);
  const proxies = registered.filter(({ type }) => type === 'proxy');
  if (proxies.length > 0) emitMetric('ActiveProxies', proxies.filter(({ status }) => status === 'active').length);
  const delivering = healths.flatMap(({ delivers }) => delivers ?? []);
  if (delivering.length > 0) emitMetric('ProxiesDeliver', Number(delivering.every(Boolean)));
  const days = healths.flatMap(({ certificateDays }) => certificateDays ?? []);
  if (days.length > 0) emitMetric('CertificateDaysLeft', Math.min(...days));
}
