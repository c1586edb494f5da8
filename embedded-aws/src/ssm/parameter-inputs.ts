import { z } from 'zod';
import { invalid } from './parameter-rules.ts';

const MAX_NAMES = 10;

const name = z.string().min(1);
const names = z.array(name).min(1).max(MAX_NAMES);
const withDecryption = z.boolean().default(false);

export const putInput = z.object({
  Name: name,
  Value: z.string().min(1),
  Type: z.enum(['String', 'StringList', 'SecureString']).optional(),
  /** A key of KMS. Without it the key of the account for Parameter Store, which every caller may use. */
  KeyId: z.string().optional(),
  Overwrite: z.boolean().default(false),
  Tier: z.enum(['Standard', 'Advanced', 'Intelligent-Tiering']).optional(),
  AllowedPattern: z.string().max(1024).optional(),
  Description: z.string().max(1024).optional(),
  DataType: z.enum(['text', 'aws:ec2:image', 'aws:ssm:integration']).default('text'),
});
export const getInput = z.object({ Name: name, WithDecryption: withDecryption });
export const getManyInput = z.object({ Names: names, WithDecryption: withDecryption });
export const byPathInput = z.object({
  Path: z.string().startsWith('/'),
  Recursive: z.boolean().default(false),
  WithDecryption: withDecryption,
  MaxResults: z.int().min(1).max(MAX_NAMES).default(MAX_NAMES),
  NextToken: z.string().optional(),
  ParameterFilters: z.array(z.never('filters are not supported')).optional(),
});
export const deleteInput = z.object({ Name: name });
export const deleteManyInput = z.object({ Names: names });

/** @throws ValidationException with all problems of the input */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw invalid(`${faults.length} validation error${faults.length > 1 ? 's' : ''} detected: ${faults.join('; ')}`);
}
