import {
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  type PutParameterCommandInput,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';

const client = new SSMClient({});

/** Secrets change only by rotation, so an instance may cache them for some minutes. */
const cacheMilliseconds = 5 * 60_000;
const cache = new Map<string, { value: string; expiresAt: number }>();

/** The key that encrypts responses with secrets for their replays. */
export const replayKeyName = 'replay-key';

const fullName = (name: string): string => `${readEnvironment('PARAMETER_PREFIX')}/${name}`;

/** A secret by its name below the stage's prefix, or undefined. `fresh` bypasses the cache. */
export async function readParameter(name: string, options: { fresh?: boolean } = {}): Promise<string | undefined> {
  const cached = cache.get(name);
  if (cached && cached.expiresAt > now() && !options.fresh) return cached.value;
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: fullName(name), WithDecryption: true }));
    const value = Parameter?.Value;
    if (value !== undefined) cache.set(name, { value, expiresAt: now() + cacheMilliseconds });
    return value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

const secret = (name: string, value: string): PutParameterCommandInput => ({
  Name: fullName(name),
  Value: value,
  Type: 'SecureString',
  // Without a key that of the account is used, also for a secret that had another one.
  KeyId: readEnvironment('PARAMETERS_KMS_KEY'),
});

/** Overwrites a secret. */
export async function replaceParameter(name: string, value: string): Promise<void> {
  await client.send(new PutParameterCommand({ ...secret(name, value), Overwrite: true }));
  cache.delete(name);
}

/** Stores a secret unless one of that name exists. Returns the stored one. */
export async function createParameter(name: string, value: string): Promise<string> {
  try {
    await client.send(new PutParameterCommand(secret(name, value)));
  } catch (error) {
    if (!(error instanceof ParameterAlreadyExists)) throw error;
  }
  const stored = await readParameter(name, { fresh: true });
  if (stored === undefined) throw new Error(`the parameter ${name} does not exist right after it was created`);
  return stored;
}
