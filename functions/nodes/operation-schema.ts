import * as z from 'zod';
import { container } from '../contracts/fields/node-fields.ts';

/**
 * The input of the function that opens SSH connections to nodes. Other functions have no access to private keys and
 * invoke it.
 */
export const operationSchema = z.union([
  z.object({ operation: z.literal('work'), node: z.string(), work: z.string() }),
  z.object({ operation: z.literal('containers'), node: z.string() }),
]);
export type Operation = z.infer<typeof operationSchema>;

/** An expected failure is a value, since an error of a Lambda function would include its stack trace. */
export const containersResult = z.union([
  z.object({ containers: z.array(container) }),
  z.object({ unreachable: z.string() }),
]);

export type ListedContainer = z.infer<typeof container>;
