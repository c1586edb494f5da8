import * as z from 'zod';
import { fileRequestSchema, syncRequestSchema } from '../../../shared/protocol/jobs.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

/**
 * Called by workers only, so not in the published document. The body limit is larger because the result of a chunk
 * lists its segments.
 */
export const workerRoutes = {
  sync: {
    operationId: 'workerSync',
    method: 'POST',
    path: '/api/workers/sync',
    access: 'worker',
    body: syncRequestSchema,
    bodyLimitBytes: 4 * 2 ** 20,
    bodyVerbatim: true,
    // Many workers share one address, and each response says when to call next.
    rate: 'unlimited',
    response: z.unknown(),
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
    response: z.unknown(),
    status: 200,
  },
} as const satisfies Record<string, RouteDeclaration>;
