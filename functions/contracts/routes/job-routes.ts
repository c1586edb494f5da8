import * as z from 'zod';
import { integerBetween, publishedAs, queryInteger } from '../fields/fields.ts';
import { job, jobCursorPattern, jobSummary } from '../fields/listed-job-fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

export const jobRoutes = {
  list: {
    operationId: 'listJobs',
    method: 'GET',
    path: '/api/videos/{ulid}/jobs',
    tag: 'Videos',
    summary: 'The jobs of a video',
    description:
      'The jobs of the probe, of the present plan of the video and of the stream edit that is running, in this order, and by kind, group and index. A job is listed from the moment it is queued; summary also counts those that follow. summary counts all pages; for a plan with more than 1,000 jobs it is up to 30 seconds old. To read the next page, send meta.next_cursor as cursor; it is null on the last page.',
    access: 'user',
    ability: 'videos:read',
    query: z.object({
      cursor: z.string().regex(jobCursorPattern, { message: 'Use next_cursor of the page before.' }).optional(),
      per_page: queryInteger(1, 100)
        .default(100)
        .meta(publishedAs({ ...integerBetween(1, 100), default: 100 })),
    }),
    status: 200,
    response: z.object({
      data: z.array(job),
      meta: z.object({ next_cursor: z.string().nullable(), per_page: z.int().min(1).max(100) }),
      summary: z.array(jobSummary).meta({ description: 'A row for each kind that the video has jobs of.' }),
    }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;
