import * as z from 'zod';
import { fileRequestSchema, syncRequestSchema } from '../../../shared/protocol/jobs.ts';
import type { RouteFact } from '../route-fact.ts';

/** What workers call; not for clients, so it is not in the published document. A chunk's result lists its segments, hence the larger body. */
export const workerRoutes = {
  sync: {
    operationId: 'workerSync',
    method: 'POST',
    path: '/api/workers/sync',
    access: 'worker',
    body: syncRequestSchema,
    bodyLimitBytes: 4 * 2 ** 20,
    bodyVerbatim: true,
    // Many workers call from one address, and the answer tells each when to call next.
    rate: 'unlimited',
    answer: z.unknown(),
    status: 200,
  },
  files: {
    operationId: 'workerFiles',
    method: 'POST',
    path: '/api/workers/files',
    access: 'worker',
    body: fileRequestSchema,
    bodyVerbatim: true,
    rate: 'unlimited',
    answer: z.unknown(),
    status: 200,
  },
} as const satisfies Record<string, RouteFact>;
