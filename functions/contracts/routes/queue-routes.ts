import * as z from 'zod';
import { shownText, timestamp, ulid } from '../fields/fields.ts';
import { jobKind, nodeType } from '../fields/listed-job-fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const worker = z
  .object({
    worker: z.string().meta({ description: 'Name of the worker.' }),
    node_type: nodeType,
    node: z
      .object({ id: z.int(), ulid, name: shownText(255) })
      .nullable()
      .meta({ description: 'The registered node; null for a worker of the pool.' }),
    last_call_at: timestamp.meta({ description: 'Up to a minute earlier than the last call.' }),
    job: z
      .object({
        video: ulid,
        kind: jobKind,
        plan: z.int().min(0),
        group: z.int().min(0),
        index: z.int().min(0),
        attempt: z.int().min(1),
        progress: z.int().min(0).max(100),
        started_at: timestamp.nullable(),
      })
      .nullable()
      .meta({ description: 'What it works on; null while it has no job.' }),
  })
  .meta({ id: 'Worker' });

const count = z.int().min(0);
const capped = z.boolean().meta({ description: 'There are more than were counted.' });

const queuedUser = z
  .object({
    user: z
      .object({ id: z.int(), ulid, name: z.string() })
      .nullable()
      .meta({ description: 'Null for a deleted user.' }),
    jobs: count,
    capped,
    kinds: z.array(z.object({ kind: jobKind, jobs: count })),
    next_queued_at: timestamp.meta({ description: 'When the job that is next was queued.' }),
    next_age_seconds: count,
  })
  .meta({ id: 'QueuedUser' });

export const queueRoutes = {
  workers: {
    operationId: 'listWorkers',
    method: 'GET',
    path: '/api/workers',
    tag: 'Nodes',
    summary: 'Live workers',
    description:
      'Workers that have a job or have called within the last two and a half minutes, in order of node and name. A worker that has stopped is listed until its lease expires or that time has passed.',
    access: 'admin',
    ability: 'admin',
    status: 200,
    response: z.object({ data: z.array(worker) }),
  },
  queue: {
    operationId: 'readQueue',
    method: 'GET',
    path: '/api/queue',
    tag: 'Nodes',
    summary: 'Queued jobs',
    description:
      'Users with queued jobs in the order in which they are served, and how many jobs of each kind each has. Up to 50 users and 500 jobs of each are counted; capped says that there are more. oldest_age_seconds is the longest wait of the jobs that are next for their user: the later jobs of a user wait for the first. Counts lag by about a second.',
    access: 'admin',
    ability: 'admin',
    status: 200,
    response: z.object({
      data: z.object({
        jobs: count,
        capped,
        oldest_age_seconds: count.nullable().meta({ description: 'Null when no job is queued.' }),
        kinds: z.array(z.object({ kind: jobKind, jobs: count })),
        users: z.array(queuedUser),
      }),
    }),
  },
} as const satisfies Record<string, RouteDeclaration>;
