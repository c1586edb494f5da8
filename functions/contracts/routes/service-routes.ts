import * as z from 'zod';
import type { RouteFact } from '../route-fact.ts';

const common = { tag: 'Service', method: 'GET', access: 'public', status: 200 } as const;

export const serviceRoutes = {
  health: {
    ...common,
    operationId: 'health',
    path: '/health',
    summary: 'Readiness: the table answers, and the service is set up',
    description: '503 until the setup has made the first administrator, and while the table does not answer.',
    answer: z.object({ status: z.literal('ok'), version: z.string() }),
  },
  openapi: {
    ...common,
    operationId: 'openapi',
    path: '/api/openapi.json',
    summary: 'This document, generated from the schemas the service validates with',
    answer: z.record(z.string(), z.unknown()),
    cacheControl: 'public, max-age=300',
  },
  docs: {
    ...common,
    operationId: 'docs',
    path: '/docs',
    summary: 'This document for people',
    answer: z.string(),
    answerType: 'text/html',
    cacheControl: 'public, max-age=300',
  },
} as const satisfies Record<string, RouteFact>;
