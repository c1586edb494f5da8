import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { readEnvironment } from '../../shared/environment.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import { announceSecret, type SecretCheck } from '../table/storages/secret-checks.ts';
import type { Storage } from '../table/storages/storage-table.ts';

const client = new SSMClient({});

type Secret = Pick<Storage, 'ulid'> & { version: number };

/** Each version has a name of its own, so that a changed secret is used at once, and an earlier one no more. */
const fullName = ({ ulid, version }: Secret): string =>
  `${readEnvironment('PARAMETER_PREFIX')}/storages/${ulid}/${version}`;

const cache = createBoundedCache<string>(100);

/**
 * Stores a secret, encrypted with a KMS key that only the functions which use storages may use. It is announced before,
 * so that reconcile deletes it if the call dies before the storage names it, or the storage is deleted meanwhile.
 */
export async function storeSecret(secret: SecretCheck, value: string): Promise<void> {
  await announceSecret(secret);
  await client.send(
    new PutParameterCommand({
      Name: fullName(secret),
      Value: value,
      Type: 'SecureString',
      // The repeat of a request stores the same secret again.
      Overwrite: true,
      KeyId: readEnvironment('STORAGES_KMS_KEY'),
    }),
  );
}

/** The secret of a storage, or undefined. A version never changes, so that a running function may keep it. */
export async function readSecret(secret: Secret): Promise<string | undefined> {
  const name = fullName(secret);
  const known = cache.get(name);
  if (known !== undefined) return known;
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    if (Parameter?.Value !== undefined) cache.set(name, Parameter.Value);
    return Parameter?.Value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

/** Removes the versions from one to another, both included. Idempotent. Returns how many there were. */
export async function removeSecrets({ ulid }: Pick<Storage, 'ulid'>, from: number, to: number): Promise<number> {
  let removed = 0;
  for (let version = Math.max(1, from); version <= to; version++) {
    try {
      await client.send(new DeleteParameterCommand({ Name: fullName({ ulid, version }) }));
      removed++;
    } catch (error) {
      if (!(error instanceof ParameterNotFound)) throw error;
    }
  }
  return removed;
}
