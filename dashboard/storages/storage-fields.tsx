import { Checkbox, PasswordField, SelectField, TextField } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import { Permissions } from './policy-box.tsx';
import { choosesPathStyle, hasOneRegion, type Provider, providers, type StorageForm } from './storage-form.ts';

type StorageFieldsProps = {
  form: StorageForm;
  errors: Readonly<Record<string, readonly string[]>>;
  onChange(changes: Partial<StorageForm>): void;
};

/** Which bucket it is: the provider, and what does not follow from it. */
export function BucketFields({ form, errors, onChange }: StorageFieldsProps) {
  const { storages: messages, common } = text.value;
  const { provider } = form;
  return (
    <>
      <TextField
        label={common.name}
        hint={messages.nameHint}
        autocomplete="off"
        value={form.name}
        onValue={(name) => onChange({ name })}
        errors={errors.name}
      />
      <SelectField
        label={messages.provider}
        hint={messages.providerHints[provider]}
        value={provider}
        onValue={(provider) => onChange({ provider: provider as Provider })}
        options={providers.map((value) => ({ value, label: messages.providers[value] }))}
      />
      {provider === 'r2' && (
        <TextField
          label={messages.accountId}
          hint={messages.accountIdHint}
          autocomplete="off"
          value={form.accountId}
          onValue={(accountId) => onChange({ accountId })}
        />
      )}
      {!hasOneRegion(provider) && (
        <TextField
          label={messages.region}
          hint={messages.regionHints[provider === 'aws' || provider === 'b2' ? provider : 'other']}
          autocomplete="off"
          value={form.region}
          onValue={(region) => onChange({ region })}
          errors={errors.region}
        />
      )}
      {provider !== 'aws' && (
        <TextField
          label={messages.endpoint}
          hint={messages.endpointHint}
          type="url"
          autocomplete="off"
          value={form.endpoint}
          onValue={(endpoint) => onChange({ endpoint })}
          errors={errors.endpoint}
        />
      )}
      <TextField
        label={messages.bucket}
        hint={messages.bucketHint}
        autocomplete="off"
        value={form.bucket}
        onValue={(bucket) => onChange({ bucket })}
        errors={errors.bucket}
      />
      <TextField
        label={messages.prefix}
        hint={messages.prefixHint}
        isOptional
        autocomplete="off"
        value={form.prefix}
        onValue={(prefix) => onChange({ prefix })}
        errors={errors.prefix}
      />
      {choosesPathStyle(provider) && (
        <div>
          <Checkbox
            label={messages.isPathStyle}
            isChecked={form.isPathStyle}
            onChecked={(isPathStyle) => onChange({ isPathStyle })}
          />
          <p class="hint">{messages.isPathStyleHint}</p>
        </div>
      )}
    </>
  );
}

type CredentialFieldsProps = StorageFieldsProps & {
  /** The service has a secret, which an empty field keeps. */
  hasSecret: boolean;
};

/** With what the service may use the bucket: an access key, or a role of AWS. */
export function CredentialFields({ form, errors, onChange, hasSecret }: CredentialFieldsProps) {
  const messages = text.value.storages;
  return (
    <>
      {form.provider === 'aws' && (
        <SelectField
          label={messages.access}
          value={form.usesRole ? 'role' : 'key'}
          onValue={(access) => onChange({ usesRole: access === 'role' })}
          options={(['key', 'role'] as const).map((value) => ({ value, label: messages.accesses[value] }))}
        />
      )}
      {form.usesRole ? (
        <TextField
          label={messages.role}
          hint={messages.roleHint}
          autocomplete="off"
          value={form.roleArn}
          onValue={(roleArn) => onChange({ roleArn })}
          errors={errors.role_arn}
        />
      ) : (
        <>
          <TextField
            label={messages.accessKey}
            hint={messages.accessKeyHints[form.provider]}
            autocomplete="off"
            value={form.accessKeyId}
            onValue={(accessKeyId) => onChange({ accessKeyId })}
            errors={errors.access_key_id}
          />
          <PasswordField
            label={messages.secret}
            hint={hasSecret ? messages.secretKept : messages.secretHint}
            autocomplete="new-password"
            value={form.secret}
            onValue={(secret) => onChange({ secret })}
            errors={errors.secret_access_key}
          />
        </>
      )}
      {form.provider === 'aws' && <Permissions target={form} />}
    </>
  );
}
