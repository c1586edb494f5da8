import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export const referenceFile = join(import.meta.dirname, 'action-reference.json');

const schema = z.object({
  /** package and version of the data */
  source: z.string(),
  /** ARN patterns by `service:type` */
  resourceTypes: z.record(z.string(), z.string()),
  actions: z.record(
    z.string(),
    z.object({
      /** An action without resource types is allowed by the resource `*` only. */
      resourceTypes: z.array(z.object({ name: z.string(), required: z.boolean() })),
      conditionKeys: z.array(z.string()),
    }),
  ),
});
export type ActionReference = z.output<typeof schema>;

/** The part of the Service Authorization Reference that is about the actions of the templates. */
export const readActionReference = (): ActionReference => schema.parse(JSON.parse(readFileSync(referenceFile, 'utf8')));
