import * as z from 'zod';
import type { RouteDeclaration } from '../route-declaration.ts';

const common = { tag: 'Service', method: 'GET', access: 'public', status: 200 } as const;

export const serviceRoutes = {
  health: {
    ...common,
    operationId: 'health',
    path: '/health',
    // Monitors share the address of their network with users. To count a call costs more than to answer it.
    rate: 'unlimited',
    summary: 'Readiness: the table is available and the service is set up',
    description: '503 until the setup has created the first administrator, and while the table is unavailable.',
    response: z.object({ status: z.literal('ok'), version: z.string() }),
    errors: ['not_set_up'],
  },
  openapi: {
    ...common,
    operationId: 'openapi',
    path: '/api/openapi.json',
    summary: 'This document, generated from the schemas that validate requests',
    response: z.record(z.string(), z.unknown()),
    cacheControl: 'public, max-age=300',
  },
} as const satisfies Record<string, RouteDeclaration>;
