import { DeleteParameterCommand, ParameterNotFound, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { readEnvironment } from '../../../shared/environment.ts';

const client = new SSMClient({});

/** Below the stage's prefix; named by a ULID, so a name is never used for a second key. */
export const privateKeyName = (ulid: string): string => `ssh-keys/${ulid}`;

const fullName = (ulid: string): string => `${readEnvironment('PARAMETER_PREFIX')}/${privateKeyName(ulid)}`;

/** What a parameter of the standard tier, which costs nothing, may hold. */
const standardBytes = 4096;

/** Stores the private half of a key, encrypted under a key that only the functions which open connections may use. */
export async function storePrivateKey(ulid: string, privateKey: string): Promise<void> {
  await client.send(
    new PutParameterCommand({
      Name: fullName(ulid),
      Value: privateKey,
      Type: 'SecureString',
      KeyId: readEnvironment('SSH_KEYS_KMS_KEY'),
      Tier: Buffer.byteLength(privateKey) > standardBytes ? 'Advanced' : 'Standard',
    }),
  );
}

/** Removes the private half of a key; a second time does nothing. */
export async function removePrivateKey(ulid: string): Promise<void> {
  try {
    await client.send(new DeleteParameterCommand({ Name: fullName(ulid) }));
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) throw error;
  }
}
