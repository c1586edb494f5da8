import { readEnvironment } from '../../shared/environment.ts';
import { targetProblem } from '../../shared/target-url.ts';
import { userTargets } from '../common/allowed-targets.ts';
import { ValidationFailed } from '../common/errors.ts';
import type { FieldErrors } from '../common/field-errors.ts';
import { randomBase62 } from '../common/secret.ts';
import type { Storage, StorageFields } from '../table/storages/storage-table.ts';

/** As in the API; undefined fields keep their values. */
type Input = {
  name?: string | undefined;
  endpoint?: string | null | undefined;
  region?: string | undefined;
  bucket?: string | undefined;
  prefix?: string | null | undefined;
  path_style?: boolean | undefined;
  access_key_id?: string | null | undefined;
  secret_access_key?: string | null | undefined;
  role_arn?: string | null | undefined;
};

type Checked = {
  fields: StorageFields;
  /** to be stored; undefined: the present one stays */
  secret: string | undefined;
};

/** `s3-alias` and others name things that are not buckets, for which the client would send other requests. */
const bucketName =
  /^(?!\d+\.\d+\.\d+\.\d+$)(?!xn--|sthree-|amzn-s3-demo-)[a-z0-9](?:[a-z0-9-]|\.(?![.-])){1,61}[a-z0-9]$/;
const notABucket = /(?:-s3alias|--ol-s3|--x-s3|--table-s3|\.mrap)$/;
const regionName = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
const awsRegion = /^[a-z]{2}(?:-[a-z]+)+-\d$/;
const prefixParts = /^(?:[A-Za-z0-9_.=+@-]+\/)*$/;
const accessKey = /^[\x21-\x7e]+$/;
const roleName = /^arn:aws(?:-cn|-us-gov)?:iam::(\d{12}):role\/[\w+=,.@/-]{1,512}$/;

/**
 * What a storage is after a change, or a new one.
 * @throws ValidationFailed
 */
export function checkedStorage(input: Input, known?: Storage): Checked {
  const errors: FieldErrors = {};
  const endpoint = checkEndpoint(input.endpoint === undefined ? (known?.endpoint ?? null) : input.endpoint, errors);
  const region = input.region ?? known?.region ?? '';
  const bucket = input.bucket ?? known?.bucket ?? '';
  const prefix = withSlash(input.prefix === undefined ? (known?.prefix ?? '') : (input.prefix ?? ''));
  const pathStyle =
    input.path_style ?? (input.endpoint === undefined ? known?.pathStyle : undefined) ?? endpoint !== null;
  if (!(endpoint === null ? awsRegion : regionName).test(region)) {
    const example = endpoint === null ? 'a region of AWS, such as eu-central-1' : 'as the store names it, such as auto';
    errors.region = [{ code: 'format', message: `The region must be ${example}.` }];
  }
  if (!bucketName.test(bucket) || notABucket.test(bucket)) {
    const message = 'The bucket must be the name of a bucket: 3 to 63 lower-case letters, digits, hyphens and dots.';
    errors.bucket = [{ code: 'format', message }];
  }
  if (!prefixParts.test(prefix) || /(?:^|\/)\.{1,2}\//.test(prefix)) {
    const message = 'The prefix must have letters, digits and _ . = + @ - between single slashes.';
    errors.prefix = [{ code: 'format', message }];
  }
  if (!pathStyle && endpoint !== null && /^(?:\d|\[)/.test(new URL(endpoint).hostname)) {
    errors.path_style = ['An endpoint with an address instead of a name needs path_style.'];
  }
  const credentials = checkCredentials(input, known, endpoint, errors);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const { secret, ...owned } = credentials;
  return {
    fields: { name: input.name ?? known?.name ?? '', endpoint, region, bucket, prefix, pathStyle, ...owned },
    secret,
  };
}

/** Without a slash at the beginning, and with one at the end unless it is empty. */
function withSlash(prefix: string): string {
  const text = prefix.startsWith('/') ? prefix.slice(1) : prefix;
  return text === '' || text.endsWith('/') ? text : `${text}/`;
}

/** The origin of a store. */
function checkEndpoint(text: string | null, errors: FieldErrors): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (!url) {
    errors.endpoint = [{ code: 'url', message: 'The endpoint must be a valid URL.' }];
    return null;
  }
  const problem = targetProblem(url, userTargets('storage'));
  if (problem) errors.endpoint = [problem];
  else if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    errors.endpoint = [
      { code: 'format', message: 'The endpoint must have no path and no query. The bucket has a field of its own.' },
    ];
  }
  return url.origin;
}

type Credentials = Pick<StorageFields, 'accessKeyId' | 'roleArn' | 'externalId'> & { secret: string | undefined };

function checkCredentials(
  input: Input,
  known: Storage | undefined,
  endpoint: string | null,
  errors: FieldErrors,
): Credentials {
  const { access_key_id: givenKey, secret_access_key: secret = null, role_arn: givenRole } = input;
  const externalId = known?.externalId ?? null;
  const hasKey = givenKey != null || secret !== null;
  if (hasKey && givenRole != null) errors.role_arn = ['Give an access key or a role, not both.'];
  const isRole = givenRole != null || (givenRole === undefined && !hasKey && known?.roleArn != null);
  if (isRole) {
    const roleArn = givenRole ?? known?.roleArn ?? '';
    checkRole(roleArn, endpoint, errors);
    return { accessKeyId: null, roleArn, externalId: externalId ?? randomBase62(32), secret: undefined };
  }
  const accessKeyId = (givenKey === undefined ? known?.accessKeyId : givenKey) ?? null;
  if (accessKeyId === null || !accessKey.test(accessKeyId)) {
    errors.access_key_id = [
      { code: 'required', message: 'Give access_key_id and secret_access_key, or on AWS role_arn.' },
    ];
  }
  // The present secret is that of the present access key, and was given for the present endpoint: who may change a
  // storage does not get requests that are signed with it.
  const isElsewhere = known !== undefined && endpoint !== known.endpoint;
  const needsSecret = accessKeyId !== (known?.accessKeyId ?? null) || known?.secretVersion === 0 || isElsewhere;
  if (needsSecret && secret === null) {
    const message = `Give the secret_access_key of the access key${isElsewhere ? ' again, since the endpoint changes' : ''}.`;
    errors.secret_access_key = [{ code: 'required', message }];
  }
  if (secret !== null && !accessKey.test(secret)) {
    errors.secret_access_key = [
      { code: 'format', message: 'The secret_access_key has visible ASCII characters only.' },
    ];
  }
  return { accessKeyId, roleArn: null, externalId, secret: secret ?? undefined };
}

/**
 * The service must not assume roles of its own account for its users: those that deploy it, for example, trust the
 * whole account. IAM denies it too.
 */
function checkRole(roleArn: string, endpoint: string | null, errors: FieldErrors): void {
  const [, account] = roleName.exec(roleArn) ?? [];
  if (readEnvironment('AWS_ENDPOINT_URL_S3') !== undefined) {
    errors.role_arn = ['Roles need a service that runs on AWS. Give an access key.'];
  } else if (account === undefined) {
    const message = 'The role must be the ARN of a role, such as arn:aws:iam::111122223333:role/media.';
    errors.role_arn = [{ code: 'format', message }];
  } else if (account === readEnvironment('ACCOUNT_ID')) {
    errors.role_arn = ['The role must be of another account than the one in which the service runs.'];
  } else if (endpoint !== null) {
    errors.role_arn = ['A role is for AWS. Give no endpoint, or an access key.'];
  }
}
