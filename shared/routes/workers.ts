import { z } from 'zod';
import { syncRequestSchema } from '../jobs.ts';

/** What workers call; not for clients, so it is not in the published document. A chunk's result lists its segments, hence the larger body. */
export const workerRoutes = {
  sync: {
    operationId: 'workerSync',
    method: 'POST',
    path: '/api/workers/sync',
    access: 'public',
    body: syncRequestSchema,
    bodyLimitBytes: 4 * 2 ** 20,
    answer: z.unknown(),
    status: 200,
  },
} as const;
