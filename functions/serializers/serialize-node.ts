import type * as z from 'zod';
import type { deployStep, node as nodeSchema } from '../contracts/fields/node-fields.ts';
import type { Step } from '../nodes/steps/node-steps.ts';
import type { Node } from '../table/nodes/node-table.ts';
import type { StepRun } from '../table/nodes/node-work.ts';

export const serializeNode = (node: Node): z.input<typeof nodeSchema> => ({
  id: node.id,
  ulid: node.ulid,
  name: node.name,
  ip_address: node.ipAddress,
  user: node.user,
  type: node.type,
  ssh_key_id: node.sshKey.id,
  hostname: node.hostname,
  cdn_mode: node.cdnMode,
  workers: node.workers,
  status: node.status,
  last_error: node.lastError ?? pendingHostname(node),
  last_seen_at: node.lastSeenAt,
  host_key_fingerprint: node.hostKey?.sha256 ?? null,
  created_at: node.createdAt,
  updated_at: node.updatedAt,
});

/** The message about an active proxy that still serves the host name it was deployed with. */
function pendingHostname({ status, hostname, deployedHostname, outdated }: Node): string | null {
  if (status !== 'active' || deployedHostname === null || deployedHostname === hostname) return null;
  const steps = [...outdated, 'verify'].join(', ');
  return `The proxy still serves as ${deployedHostname}. To change it to ${hostname}, run the steps ${steps}.`;
}

/** @param order from 1 */
export const serializeStep = (step: Step, order: number, run: StepRun | undefined): z.input<typeof deployStep> => ({
  step: step.name,
  name: step.title,
  description: step.description,
  order,
  required: step.required,
  status: run?.status ?? 'pending',
  log: run?.log ?? null,
  started_at: run?.startedAt ?? null,
  finished_at: run?.finishedAt ?? null,
});
