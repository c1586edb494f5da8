import * as z from 'zod';

const limit = z.int().min(0).nullable();

/** The quota of a user in responses. */
export const quota = z
  .object({ upload_bytes_per_month: limit, encoding_cpu_seconds_per_month: limit })
  .meta({ id: 'Quota', description: 'Limits of a month, UTC. A limit that is null does not exist.' });

/** In requests. Other names are refused: a misspelt limit would not exist. */
export const quotaInput = z
  .strictObject({
    upload_bytes_per_month: limit.default(null),
    encoding_cpu_seconds_per_month: limit.default(null),
  })
  .meta({
    id: 'QuotaInput',
    description: 'Replaces the whole quota. A limit that is null or left out does not exist.',
  });

const amount = z.int().min(0);
const use = z.object({
  used: amount,
  reserved: amount.meta({ description: 'Held for open uploads and for runs that have not finished.' }),
});

/** What a user has used in the present month. */
export const quotaUse = z
  .object({
    month: z.string().regex(/^[0-9]{4}-[0-9]{2}$/),
    upload_bytes: use,
    encoding_cpu_seconds: use,
  })
  .meta({
    id: 'QuotaUse',
    description: 'Of the present month, UTC, over all external users. A quota limits the sum of used and reserved.',
  });
