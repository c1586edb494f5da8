import * as z from 'zod';
import { container } from '../contracts/fields/node-fields.ts';

/** What the function that opens connections to nodes is asked for. The others hold no key, and ask it. */
export const operationSchema = z.union([
  z.object({ operation: z.literal('work'), node: z.string(), work: z.string() }),
  z.object({ operation: z.literal('containers'), node: z.string() }),
]);
export type Operation = z.infer<typeof operationSchema>;

/** A failure that the caller is to be told crosses over as a value: an error of a function is its stack. */
export const containersAnswer = z.union([
  z.object({ containers: z.array(container) }),
  z.object({ unreachable: z.string() }),
]);

export type ListedContainer = z.infer<typeof container>;
