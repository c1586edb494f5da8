import { noteMetric } from '../common/emit-metric.ts';
import type { Node } from '../table/nodes/node-table.ts';
import type { Health } from './check-health.ts';

/** Notes how many nodes of each kind there are to worry about. Where none is registered nothing is noted, which costs nothing. */
export function noteNodes(nodes: readonly Node[], healths: readonly Health[]): void {
  const registered = nodes.filter(({ status }) => status !== 'pending' && status !== 'deleting');
  if (registered.length === 0) return;
  noteMetric('FailedNodes', registered.filter(({ status }) => status === 'failed').length);
  const proxies = registered.filter(({ type }) => type === 'proxy');
  if (proxies.length > 0) noteMetric('ActiveProxies', proxies.filter(({ status }) => status === 'active').length);
  const days = healths.flatMap(({ certificateDays }) => certificateDays ?? []);
  if (days.length > 0) noteMetric('CertificateDaysLeft', Math.min(...days));
}
