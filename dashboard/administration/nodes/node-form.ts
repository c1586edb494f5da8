import type { components } from '../../../client/api-types.ts';
import type { Node } from './node-properties.ts';

type NodeCreate = components['schemas']['NodeCreate'];
type NodeUpdate = components['schemas']['NodeUpdate'];

/** What the form holds: texts, as the user types them. */
export type NodeForm = {
  type: Node['type'];
  name: string;
  ipAddress: string;
  user: string;
  sshKeyId: string;
  /** of a worker */
  workers: string;
  /** of a proxy */
  hostname: string;
  /** of a proxy */
  cdnMode: boolean;
};

export const formOf = (node: Node | undefined, firstKey: string): NodeForm => ({
  type: node?.type ?? 'worker',
  name: node?.name ?? '',
  ipAddress: node?.ip_address ?? '',
  user: node?.user ?? 'root',
  sshKeyId: node === undefined ? firstKey : String(node.ssh_key_id),
  workers: String(node?.workers ?? 1),
  hostname: node?.hostname ?? '',
  cdnMode: node?.cdn_mode ?? false,
});

/** The fields depend on the type. */
export const creationOf = (form: NodeForm): NodeCreate =>
  ({
    type: form.type,
    name: form.name,
    ip_address: form.ipAddress.trim(),
    user: form.user.trim(),
    ssh_key_id: Number(form.sshKeyId),
    ...(form.type === 'worker'
      ? { workers: Number(form.workers) }
      : { hostname: form.hostname.trim(), cdn_mode: form.cdnMode }),
  }) as NodeCreate;

/** Only what the form changes. The type of a node cannot be changed. */
export function changesOf(before: NodeForm, after: NodeForm): NodeUpdate {
  const [old, current] = [creationOf(before), creationOf(after)];
  return Object.fromEntries(
    Object.entries(current).filter(([field, value]) => old[field as keyof NodeCreate] !== value),
  ) as NodeUpdate;
}
