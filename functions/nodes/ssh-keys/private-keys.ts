import { DeleteParameterCommand, ParameterNotFound, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { readEnvironment } from '../../../shared/environment.ts';

const client = new SSMClient({});

/** Name below the stage's prefix. It contains a ULID, so it is never reused for another key. */
export const privateKeyName = (ulid: string): string => `ssh-keys/${ulid}`;

const fullName = (ulid: string): string => `${readEnvironment('PARAMETER_PREFIX')}/${privateKeyName(ulid)}`;

/** Size limit of a parameter in the free standard tier. */
const maxStandardTierBytes = 4096;

/** Stores a private key, encrypted with a KMS key that only the functions which open SSH connections may use. */
export async function storePrivateKey(ulid: string, privateKey: string): Promise<void> {
  await client.send(
    new PutParameterCommand({
      Name: fullName(ulid),
      Value: privateKey,
      Type: 'SecureString',
      // The repeat of a request stores the same key again.
      Overwrite: true,
      KeyId: readEnvironment('SSH_KEYS_KMS_KEY'),
      Tier: Buffer.byteLength(privateKey) > maxStandardTierBytes ? 'Advanced' : 'Standard',
    }),
  );
}

/** Removes a private key. Idempotent. */
export async function removePrivateKey(ulid: string): Promise<void> {
  try {
    await client.send(new DeleteParameterCommand({ Name: fullName(ulid) }));
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) throw error;
  }
}
