import * as z from 'zod';
import { jobErrorCodes } from '../../../shared/protocol/job-errors.ts';
import { jobKinds } from '../../../shared/protocol/job-kinds.ts';
import { timestamp, ulid } from './fields.ts';

/** Plan number, kind, group and index of the last job of a page. */
export const jobCursorPattern = new RegExp(`^\\d{1,6}\\.(${jobKinds.join('|')})\\.\\d{1,2}\\.\\d{1,5}$`);

export const jobKind = z.enum(jobKinds).meta({ id: 'JobKind' });
const errorCode = z.enum(jobErrorCodes).meta({ id: 'JobErrorCode' });
export const nodeType = z.enum(['pool', 'node']).meta({
  description:
    'pool: a Fargate task, or a worker process of the service on one machine. node: a worker of a registered node.',
});

const attempt = z
  .object({
    number: z.int().min(1),
    status: z.enum(['running', 'completed', 'failed', 'cancelled', 'superseded']).meta({
      description:
        'superseded: another attempt replaced it. failed with WORKER_STOPPED: the worker stopped calling, and the job was queued again.',
    }),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
    error_code: errorCode.nullable(),
    node_type: nodeType,
    node: ulid.nullable().meta({ description: 'Of a registered node. Administrators only, null for others.' }),
    worker: z.string().nullable().meta({ description: 'Name of the worker. Administrators only, null for others.' }),
  })
  .meta({ id: 'JobAttempt' });

export const job = z
  .object({
    kind: jobKind,
    plan: z.int().min(0).meta({
      description: 'Number of the plan of the video that needs the job; 0 for the probe, which serves all plans.',
    }),
    group: z.int().min(0).meta({
      description:
        'Of encode-video, the group of streams that are encoded together; of package, the output. 0 otherwise.',
    }),
    index: z.int().min(0).meta({
      description: 'Of encode-video, the chunk; of encode-audio, the track; of package, the part of the output.',
    }),
    streams: z.array(ulid).meta({ description: 'The streams that it encodes.' }),
    output: ulid.nullable().meta({ description: 'The output that it packages.' }),
    status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']).meta({
      id: 'JobStatus',
      description: 'A job that failed for a reason that may pass is queued again a moment later.',
    }),
    progress: z.int().min(0).max(100),
    error_code: errorCode.nullable().meta({ description: 'Of a failed job.' }),
    created_at: timestamp.meta({ description: 'When it was first queued.' }),
    started_at: timestamp.nullable().meta({ description: 'Start of the first attempt that is listed.' }),
    finished_at: timestamp.nullable(),
    attempts: z.array(attempt).meta({ description: 'The last 20, the first of them first.' }),
  })
  .meta({ id: 'Job' });

const count = z.int().min(0);

export const jobSummary = z
  .object({
    kind: jobKind,
    total: count.meta({ description: 'Includes the jobs of the plan that are not queued yet.' }),
    queued: count,
    running: count,
    completed: count,
    failed: count,
    cancelled: count,
  })
  .meta({ id: 'JobSummary' });
