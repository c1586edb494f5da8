import { CodeBox } from '../components/code-box.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { text } from '../messages/messages.ts';
import type { Storage } from './storage-form.ts';
import { permissionPolicy, trustPolicy } from './storage-policies.ts';

type PolicyBoxProps = { label: string; policy: string };

const PolicyBox = ({ label, policy }: PolicyBoxProps) => (
  <div class="storage-policy">
    <CodeBox label={label} code={policy} />
    <CopyButton value={policy} name={`${text.value.common.copy}: ${label}`} />
  </div>
);

type PermissionsProps = { target: Pick<Storage, 'bucket' | 'prefix' | 'region'> };

/** What a key or a role of AWS must be allowed, on demand. */
export const Permissions = ({ target }: PermissionsProps) => (
  <details class="storage-policies">
    <summary>{text.value.storages.permissions}</summary>
    <PolicyBox label={text.value.storages.permissions} policy={permissionPolicy(target)} />
  </details>
);

/** What the owner of a role has to set up in AWS: who may assume the role, and what the role may do. */
export function RolePolicies({ storage }: { storage: Storage }) {
  const messages = text.value.storages;
  return (
    <div class="stack">
      <p>{messages.roleSteps}</p>
      <dl class="properties">
        <dt>{messages.externalId}</dt>
        <dd>
          <code>{storage.external_id}</code>
        </dd>
        <dt>{messages.trustedAccount}</dt>
        <dd>
          <code>{storage.trusted_account}</code>
        </dd>
      </dl>
      <h3>{messages.trust}</h3>
      <PolicyBox label={messages.trust} policy={trustPolicy(storage)} />
      <Permissions target={storage} />
    </div>
  );
}
