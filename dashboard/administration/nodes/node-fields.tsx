import { Checkbox, SelectField, TextField } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import type { NodeForm } from './node-form.ts';
import type { Node } from './node-properties.ts';

type NodeFieldsProps = {
  form: NodeForm;
  onChange(changes: Partial<NodeForm>): void;
  errors: Readonly<Record<string, readonly string[]>>;
  keys: readonly { id: number; name: string }[];
  isNew: boolean;
};

/** The fields of a node. They depend on its type. */
export function NodeFields({ form, onChange, errors, keys, isNew }: NodeFieldsProps) {
  const {
    common,
    administration: { nodes: messages },
  } = text.value;
  const field = (name: 'name' | 'ipAddress' | 'user' | 'workers' | 'hostname', path: string) => ({
    value: form[name],
    onValue: (value: string) => onChange({ [name]: value }),
    errors: errors[path],
    autocomplete: 'off' as const,
    spellcheck: false,
  });
  return (
    <>
      {isNew && (
        <SelectField
          label={messages.type}
          hint={messages.typeHints[form.type]}
          value={form.type}
          onValue={(type) => onChange({ type: type as Node['type'] })}
          options={(['worker', 'proxy'] as const).map((value) => ({ value, label: messages.types[value] }))}
        />
      )}
      <TextField label={common.name} {...field('name', 'name')} />
      <TextField label={messages.ipAddress} hint={messages.ipAddressHint} {...field('ipAddress', 'ip_address')} />
      <TextField label={messages.user} hint={messages.userHint} {...field('user', 'user')} />
      <SelectField
        label={messages.sshKey}
        value={form.sshKeyId}
        onValue={(sshKeyId) => onChange({ sshKeyId })}
        errors={errors.ssh_key_id}
        options={keys.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
      {!isNew && <p class="hint">{messages.connectionHint}</p>}
      {form.type === 'worker' ? (
        <TextField
          label={messages.workers}
          hint={messages.workersHint}
          {...field('workers', 'workers')}
          type="number"
          min={1}
          max={20}
        />
      ) : (
        <>
          <TextField label={messages.hostname} hint={messages.hostnameHint} {...field('hostname', 'hostname')} />
          <div class="field">
            <Checkbox
              label={messages.cdnMode}
              isChecked={form.cdnMode}
              onChecked={(cdnMode) => onChange({ cdnMode })}
            />
            <p class="hint">{messages.cdnModeHint}</p>
          </div>
        </>
      )}
    </>
  );
}
