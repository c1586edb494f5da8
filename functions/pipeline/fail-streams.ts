import * as z from 'zod';
import { causeText } from '../../shared/protocol/job-errors.ts';
import { addVideoToLog, log } from '../common/log.ts';
import { readPlan } from '../planning/stored-plans.ts';
import { findWholeVideo, moveStream } from '../table/videos/video-table.ts';
import { isCurrentPlan } from './current-run.ts';

const input = z.object({
  videoUlid: z.string(),
  planNumber: z.int(),
  kind: z.enum(['encode-video', 'encode-audio']),
  group: z.int().default(0),
  index: z.int().default(0),
  error: z.object({ Error: z.string().optional(), Cause: z.string().optional() }),
});

/** Marks the streams that a job was for as failed. Their outputs follow when packaging starts. */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, kind, group, index, error } = input.parse(raw);
  addVideoToLog(videoUlid, planNumber);
  log.warn('streams failed', { kind, group, index, error });
  const whole = await findWholeVideo(videoUlid);
  if (!whole || !isCurrentPlan(whole, planNumber)) return;
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = kind === 'encode-video' ? plan.groups[group]?.rungs : plan.audio.slice(index, index + 1);
  const names = new Set(tracks?.map(({ name }) => name));
  const lost = whole.streams.filter((stream) => stream.planNumber === planNumber && names.has(stream.track));
  await Promise.all(lost.map(({ ulid }) => moveStream(videoUlid, ulid, 'failed', { errorLog: causeText(error) })));
}
