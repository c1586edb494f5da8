import type { components, operations } from '../../client/api-types.ts';

export type Storage = components['schemas']['Storage'];
export type StorageInput = operations['createStorage']['requestBody']['content']['application/json'];

/** What offers the bucket. It is known from the endpoint, so that the service does not store it. */
export const providers = ['aws', 'r2', 'gcs', 'b2', 'minio', 'other'] as const;
export type Provider = (typeof providers)[number];

/** What the form holds: texts, as the user types them. */
export type StorageForm = {
  name: string;
  provider: Provider;
  /** of Cloudflare, from which the endpoint follows */
  accountId: string;
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  isPathStyle: boolean;
  usesRole: boolean;
  accessKeyId: string;
  /** Empty in a form for a known storage: the present one stays. */
  secret: string;
  roleArn: string;
};

const hosts: readonly [Provider, RegExp][] = [
  ['r2', /\.r2\.cloudflarestorage\.com$/],
  ['gcs', /^storage\.googleapis\.com$/],
  ['b2', /^s3\.[a-z0-9-]+\.backblazeb2\.com$/],
];

export function providerOf(endpoint: string | null): Provider {
  if (endpoint === null) return 'aws';
  const host = URL.parse(endpoint)?.hostname ?? '';
  return hosts.find(([, pattern]) => pattern.test(host))?.[0] ?? 'other';
}

/** The region that a provider has, or that it usually has. */
const regions: Readonly<Record<Provider, string>> = {
  aws: 'us-east-1',
  r2: 'auto',
  gcs: 'auto',
  b2: 'us-west-004',
  minio: 'us-east-1',
  other: 'us-east-1',
};

/** Providers with one region for all buckets, which nobody has to enter. */
export const hasOneRegion = (provider: Provider): boolean => provider === 'r2' || provider === 'gcs';

/** Those whose software decides whether the bucket may be in the path. At the others, it may. */
export const choosesPathStyle = (provider: Provider): boolean => provider === 'minio' || provider === 'other';

/** The fields of the API that the form shows with their errors. The others follow from the provider. */
export const shownFields = ({ provider, usesRole }: Pick<StorageForm, 'provider' | 'usesRole'>): string[] => [
  'name',
  'bucket',
  'prefix',
  ...(hasOneRegion(provider) ? [] : ['region']),
  ...(provider === 'aws' ? [] : ['endpoint']),
  ...(usesRole ? ['role_arn'] : ['access_key_id', 'secret_access_key']),
];

const emptyForm: StorageForm = {
  name: '',
  provider: 'aws',
  accountId: '',
  endpoint: '',
  region: regions.aws,
  bucket: '',
  prefix: '',
  isPathStyle: false,
  usesRole: false,
  accessKeyId: '',
  secret: '',
  roleArn: '',
};

export function formOf(storage: Storage | undefined): StorageForm {
  if (storage === undefined) return emptyForm;
  const provider = providerOf(storage.endpoint);
  return {
    name: storage.name,
    provider,
    accountId: provider === 'r2' ? new URL(storage.endpoint!).hostname.split('.')[0]! : '',
    endpoint: storage.endpoint ?? '',
    region: storage.region,
    bucket: storage.bucket,
    prefix: storage.prefix,
    isPathStyle: storage.path_style,
    usesRole: storage.role_arn !== null,
    accessKeyId: storage.access_key_id ?? '',
    secret: '',
    roleArn: storage.role_arn ?? '',
  };
}

/** The address of a provider, as far as it follows from the other fields. */
function endpointOf({ provider, accountId, region }: StorageForm): string | undefined {
  if (provider === 'r2') return accountId.trim() && `https://${accountId.trim()}.r2.cloudflarestorage.com`;
  if (provider === 'b2') return region.trim() && `https://s3.${region.trim()}.backblazeb2.com`;
  return provider === 'gcs' ? 'https://storage.googleapis.com' : undefined;
}

/** Fills in what follows from a change. An address that was typed stays until what it follows from is typed. */
export function withChanges(before: StorageForm, changes: Partial<StorageForm>): StorageForm {
  const form = { ...before, ...changes };
  if (form.provider !== before.provider) {
    form.region = regions[form.provider];
    form.isPathStyle = form.provider !== 'aws';
    form.usesRole = form.usesRole && form.provider === 'aws';
    form.endpoint = endpointOf(form) ?? '';
  } else if (form.accountId !== before.accountId || form.region !== before.region) {
    form.endpoint = endpointOf(form) ?? form.endpoint;
  }
  return form;
}

const fieldsOf = (form: StorageForm) => ({
  name: form.name.trim(),
  endpoint: form.provider === 'aws' ? null : form.endpoint.trim(),
  region: form.region.trim(),
  bucket: form.bucket.trim(),
  prefix: form.prefix.trim(),
  path_style: form.isPathStyle,
});

const credentialsOf = ({ usesRole, roleArn, accessKeyId, secret }: StorageForm) =>
  usesRole
    ? { role_arn: roleArn.trim() }
    : { access_key_id: accessKeyId.trim(), ...(secret !== '' && { secret_access_key: secret }) };

export function creationOf(form: StorageForm): StorageInput {
  const { endpoint, prefix, path_style, ...fields } = fieldsOf(form);
  return {
    ...fields,
    ...(endpoint !== null && { endpoint, path_style }),
    ...(prefix !== '' && { prefix }),
    ...credentialsOf(form),
  };
}

/** Only what the form changes. A new address comes with its style, which would have the default of a new storage. */
export function changesOf(before: StorageForm, after: StorageForm): Partial<StorageInput> {
  const [old, current] = [fieldsOf(before), fieldsOf(after)];
  const isOther = (field: keyof typeof old): boolean => old[field] !== current[field];
  const credentials = credentialsOf(after);
  return {
    ...Object.fromEntries(
      Object.entries(current).filter(
        ([field]) => isOther(field as keyof typeof old) || (field === 'path_style' && isOther('endpoint')),
      ),
    ),
    ...(JSON.stringify(credentialsOf(before)) !== JSON.stringify(credentials) && credentials),
  };
}

/** The samples of API calls do not have the secret, which the screen hides too. */
export const withoutSecret = <Input extends Partial<StorageInput>>(input: Input): Input =>
  input.secret_access_key == null ? input : { ...input, secret_access_key: '<SECRET_ACCESS_KEY>' };

export const isUsed = ({ used_by }: Pick<Storage, 'used_by'>): boolean =>
  Object.values(used_by).some((amount) => amount > 0);
