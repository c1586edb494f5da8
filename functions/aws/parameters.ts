import {
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { now } from '../../shared/clock.ts';
import { env } from '../../shared/environment.ts';

const client = new SSMClient({});

/** Secrets change by rotation only, so an instance may keep one for some minutes. */
const keptMilliseconds = 5 * 60_000;
const kept = new Map<string, { value: string; until: number }>();

const fullName = (name: string): string => `${env('PARAMETER_PREFIX')}/${name}`;

/** A secret by its name below the stage's prefix, or undefined. `fresh` asks the store even if a value is at hand. */
export async function readParameter(name: string, options: { fresh?: boolean } = {}): Promise<string | undefined> {
  const known = kept.get(name);
  if (known && known.until > now() && !options.fresh) return known.value;
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: fullName(name), WithDecryption: true }));
    const value = Parameter?.Value;
    if (value !== undefined) kept.set(name, { value, until: now() + keptMilliseconds });
    return value;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

/** Stores a secret in place of the one that is there. */
export async function replaceParameter(name: string, value: string): Promise<void> {
  const Name = fullName(name);
  await client.send(new PutParameterCommand({ Name, Value: value, Type: 'SecureString', Overwrite: true }));
  kept.delete(name);
}

/** Stores a secret unless there is one of that name. Returns the one that is there afterwards. */
export async function createParameter(name: string, value: string): Promise<string> {
  try {
    await client.send(new PutParameterCommand({ Name: fullName(name), Value: value, Type: 'SecureString' }));
  } catch (error) {
    if (!(error instanceof ParameterAlreadyExists)) throw error;
  }
  const stored = await readParameter(name, { fresh: true });
  if (stored === undefined) throw new Error(`the parameter ${name} is gone right after it was made`);
  return stored;
}
