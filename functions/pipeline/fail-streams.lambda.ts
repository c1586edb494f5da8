import * as z from 'zod';
import { causeText } from '../../shared/protocol/job-errors.ts';
import { log } from '../common/log.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { moveStream } from '../table/videos/video-table.ts';
import { caughtError, findCurrentRun, runInput } from './current-run.ts';

const input = runInput.extend({
  kind: z.enum(['encode-video', 'encode-audio']),
  group: z.int().default(0),
  index: z.int().default(0),
  error: caughtError,
});

/**
 * States FailStreams and FailTrack: marks the streams of an encode job as failed. StartPackaging fails their outputs.
 */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, planNumber, kind, group, index, error } = input.parse(raw);
  const run = await findCurrentRun(videoUlid, planNumber);
  log.warn('streams failed', { kind, group, index, error });
  if (!run) return;
  const plan = await readPlan(videoUlid, planNumber);
  const tracks = kind === 'encode-video' ? plan.groups[group]?.rungs : plan.audio.slice(index, index + 1);
  const names = new Set(tracks?.map(({ name }) => name));
  const { streams } = run.whole;
  const failed = streams.filter((stream) => stream.planNumber === planNumber && names.has(stream.track));
  // One after the other: they are one item, on which concurrent transactions conflict.
  for (const { ulid } of failed) await moveStream(run.whole.video, ulid, 'failed', { errorLog: causeText(error) });
}
