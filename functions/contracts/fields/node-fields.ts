import * as z from 'zod';
import { nodeStatuses } from '../statuses.ts';
import { timestamp, ulid } from './fields.ts';

export const nodeType = z.enum(['worker', 'proxy']).meta({ id: 'NodeType' });

export const nodeStatus = z.enum(nodeStatuses).meta({ id: 'NodeStatus' });

/** A node in responses. */
export const node = z
  .object({
    id: z.int(),
    ulid,
    name: z.string(),
    ip_address: z.string(),
    user: z.string(),
    type: nodeType,
    ssh_key_id: z.int(),
    hostname: z.string().nullable().meta({
      description:
        'For proxies. A new name takes effect after the steps configure, certificate and verify have run. Until then /sources uses the deployed name, and last_error says so.',
    }),
    cdn_mode: z.boolean(),
    workers: z.int(),
    status: nodeStatus,
    last_error: z.string().nullable(),
    last_seen_at: timestamp.nullable(),
    host_key_fingerprint: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Node' });

export const container = z
  .object({
    id: z.string(),
    name: z.string(),
    image: z.string(),
    state: z.enum(['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead']),
    status: z.string().meta({ example: 'Up 3 hours' }),
    created_at: timestamp,
  })
  .meta({ id: 'Container' });

const count = z.int().min(0);

export const queueStats = z
  .object({
    pending: count.meta({ description: 'Queued jobs that this node can run.' }),
    reserved: count.meta({ description: 'Jobs leased by this node.' }),
    total: count.meta({ description: 'pending + reserved.' }),
  })
  .meta({ id: 'QueueStats' });

export const deployStep = z
  .object({
    step: z.string().regex(/^[a-z][a-z0-9-]*$/),
    name: z.string(),
    description: z.string(),
    order: z.int().min(1),
    required: z.boolean(),
    status: z.enum(['pending', 'queued', 'running', 'succeeded', 'failed']),
    log: z.string().max(65_536).nullable(),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'DeployStep' });
