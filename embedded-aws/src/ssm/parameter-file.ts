import { z } from 'zod';
import { readJson, writeWhole } from '../durable/whole-file.ts';

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

/** The parameters by name. Empty if the file does not exist. @throws DamagedData */
export const readParameters = async (file: string): Promise<Parameters> =>
  new Map(Object.entries((await readJson(file, parameters.parse)) ?? {}));

/** Replaces the file atomically. Its folder must exist. */
export const writeParameters = (file: string, parameters: Parameters): Promise<void> =>
  writeWhole(file, JSON.stringify(Object.fromEntries(parameters), null, 2));
