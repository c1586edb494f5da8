import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const parameter = z.object({
  type: z.enum(['String', 'StringList', 'SecureString']),
  /** Encrypted if the type is SecureString. */
  value: z.string(),
  version: z.int().positive(),
  lastModifiedMs: z.number(),
  tier: z.enum(['Standard', 'Advanced']),
  /** The key of KMS that the caller named for a SecureString. */
  keyArn: z.string().optional(),
  dataType: z.string(),
  allowedPattern: z.string().optional(),
  description: z.string().optional(),
});
const parameters = z.record(z.string(), parameter);

export type Parameter = z.infer<typeof parameter>;
export type Parameters = Map<string, Parameter>;

/** The parameters by name. Empty if the file does not exist. */
export async function readParameters(file: string): Promise<Parameters> {
  try {
    return new Map(Object.entries(parameters.parse(JSON.parse(await readFile(file, 'utf8')))));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new Error(`${file} does not contain valid parameters`, { cause: error });
  }
}

/** Replaces the file atomically. Its folder must exist. */
export async function writeParameters(file: string, parameters: Parameters): Promise<void> {
  const fresh = `${file}.new`;
  await writeFile(fresh, JSON.stringify(Object.fromEntries(parameters), null, 2), { mode: 0o600, flush: true });
  await rename(fresh, file);
}
