import { randomUUID } from 'node:crypto';
import { AssumeRoleCommand, type AssumeRoleCommandOutput, STSClient } from '@aws-sdk/client-sts';
import { now } from '../../shared/clock.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import type { Storage } from '../table/storages/storage-table.ts';
import { storageError } from './storage-error.ts';

export type StoreCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** The most that AWS allows to a role that assumes another one. */
const sessionSeconds = 3600;
/** URLs end with the session that has signed them, so one with less time left is not used for new ones. */
export const roleUrlSeconds = 1800;

type Session = { credentials: StoreCredentials; endsAt: number };
const sessions = createBoundedCache<Session>(100);

let client: STSClient | undefined;

/**
 * Credentials of a role of another account, for the bucket and the prefix of its storage only. The external id is
 * different for each storage, so that nobody can use the role of somebody else.
 * @throws StorageError
 */
export async function assumeRole(storage: Storage): Promise<StoreCredentials> {
  const { ulid, roleArn, externalId, bucket, prefix, region } = storage;
  const name = JSON.stringify([ulid, roleArn, externalId, bucket, prefix, region]);
  const known = sessions.get(name);
  if (known && known.endsAt - roleUrlSeconds * 1000 > now()) return known.credentials;
  const { Credentials } = await assume(storage, externalId ?? '', sessionPolicy(storage)).catch((error: Error) => {
    // A call that AWS has understood and refused; the account may also have no permission for the role.
    const isRefused = [accessDenied, 'ValidationError', 'RegionDisabledException'].includes(error.name);
    throw isRefused ? storageError('role_refused') : error;
  });
  await requireExternalId(storage);
  if (!Credentials?.AccessKeyId || !Credentials.SecretAccessKey || !Credentials.SessionToken) {
    throw storageError('role_refused');
  }
  const credentials = {
    accessKeyId: Credentials.AccessKeyId,
    secretAccessKey: Credentials.SecretAccessKey,
    sessionToken: Credentials.SessionToken,
  };
  sessions.set(name, { credentials, endsAt: now() + sessionSeconds * 1000 });
  return credentials;
}

const accessDenied = 'AccessDenied';

function assume(
  { ulid, roleArn }: Storage,
  ExternalId: string,
  policy: object,
  DurationSeconds = sessionSeconds,
): Promise<AssumeRoleCommandOutput> {
  client ??= new STSClient({ maxAttempts: 3 });
  const RoleSessionName = `storage-${ulid}`;
  const Policy = JSON.stringify(policy);
  return client.send(
    new AssumeRoleCommand({ RoleArn: roleArn ?? '', RoleSessionName, ExternalId, DurationSeconds, Policy }),
  );
}

/** The least that AWS allows. */
const shortestSeconds = 900;
const noPermission = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: '*', Resource: '*' }] };

/**
 * A role that trusts the whole account of the service, whatever the external id is, could be that of anybody: other
 * accounts of the operator have such roles, and the user who names one may have nothing to do with it.
 * @throws StorageError when the role can be assumed with another external id
 */
async function requireExternalId(storage: Storage): Promise<void> {
  const isOpen = await assume(storage, randomUUID(), noPermission, shortestSeconds).then(
    () => true,
    (error: Error) => {
      if (error.name !== accessDenied) throw error;
      return false;
    },
  );
  if (isOpen) throw storageError('role_open');
}

/** A session has the permissions that both this and the role's own policies have. */
export function sessionPolicy({ roleArn, bucket, prefix, region }: Storage) {
  const partition = roleArn?.split(':')[1] ?? 'aws';
  const arn = `arn:${partition}:s3:::${bucket}`;
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: [
          's3:GetObject',
          's3:PutObject',
          's3:DeleteObject',
          's3:AbortMultipartUpload',
          's3:ListMultipartUploadParts',
        ],
        Resource: `${arn}/${prefix}*`,
      },
      {
        Effect: 'Allow',
        Action: 's3:ListBucket',
        Resource: arn,
        ...(prefix !== '' && { Condition: { StringLike: { 's3:prefix': `${prefix}*` } } }),
      },
      {
        // For buckets that are encrypted with a key of their owner.
        Effect: 'Allow',
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: '*',
        Condition: { StringLike: { 'kms:ViaService': `s3.${region}.amazonaws.com*` } },
      },
    ],
  };
}
