import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
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
  client ??= new STSClient({ maxAttempts: 3 });
  const { Credentials } = await client
    .send(
      new AssumeRoleCommand({
        RoleArn: roleArn ?? '',
        RoleSessionName: `storage-${ulid}`,
        ExternalId: externalId ?? '',
        DurationSeconds: sessionSeconds,
        Policy: JSON.stringify(sessionPolicy(storage)),
      }),
    )
    .catch((error: Error) => {
      // A call that AWS has understood and refused; the account may also have no permission for the role.
      const isRefused = ['AccessDenied', 'ValidationError', 'RegionDisabledException'].includes(error.name);
      throw isRefused ? storageError('role_refused') : error;
    });
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
