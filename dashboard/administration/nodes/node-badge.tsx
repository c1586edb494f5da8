import { formatAgo } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { healthOf, type Node } from './node-properties.ts';

/** The status of a node, in words and by colour. */
export const NodeBadge = ({ status }: Pick<Node, 'status'>) => (
  <span class="badge" data-status={status}>
    {text.value.administration.nodes.statuses[status]}
  </span>
);

/** Whether a node does its work, and when it last called. */
export function NodeHealthText({ node }: { node: Node }) {
  const messages = text.value.administration.nodes;
  return (
    <>
      {messages.healthStates[healthOf(node, Date.now())]}
      {node.last_seen_at !== null && <span class="hint"> · {formatAgo(node.last_seen_at)}</span>}
    </>
  );
}
