import { formatDateTime } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { NodeBadge, NodeHealthText } from './node-badge.tsx';
import type { Node } from './node-properties.ts';

/** The properties of a node, and why it failed. */
export function NodeSummary({ node }: { node: Node }) {
  const {
    common,
    administration: { nodes: messages },
  } = text.value;
  const properties = [
    [messages.type, messages.types[node.type]],
    [messages.ipAddress, node.ip_address],
    [messages.user, node.user],
    node.type === 'worker' && [messages.workers, String(node.workers)],
    node.hostname !== null && [messages.hostname, node.hostname],
    node.type === 'proxy' && [messages.cdnMode, node.cdn_mode ? common.yes : common.no],
    [messages.hostKey, node.host_key_fingerprint ?? messages.hostKeyUnknown],
    [common.created, formatDateTime(node.created_at)],
  ].filter((property) => property !== false) as [string, string][];
  return (
    <>
      {node.last_error !== null && (
        <div class="notice notice-error" role="alert">
          <p>{node.last_error}</p>
        </div>
      )}
      <dl class="node-summary">
        <div>
          <dt>{common.status}</dt>
          <dd>
            <NodeBadge status={node.status} />
          </dd>
        </div>
        <div>
          <dt>{messages.health}</dt>
          <dd>
            <NodeHealthText node={node} />
          </dd>
        </div>
        {properties.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
