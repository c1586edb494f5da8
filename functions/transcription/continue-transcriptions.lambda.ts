import * as z from 'zod';
import { forEachSettled } from '../common/concurrency.ts';
import { dueTranscriptions, findCaptions, postponeTranscription } from '../table/videos/caption-table.ts';
import { continueTranscription } from './continue-transcription.ts';

const input = z.looseObject({ videoUlid: z.string().optional() });

/**
 * Continues the captions from the speech of a video: called when they were requested, changed or deleted, and when a
 * job has ended. Every minute, without a video: those of all videos, for calls that were lost.
 */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid } = input.parse(raw);
  if (videoUlid !== undefined) return continueTranscription(videoUlid);
  for await (const page of dueTranscriptions()) await forEachSettled(page, continueLater);
}

async function continueLater(videoUlid: string): Promise<void> {
  try {
    await continueTranscription(videoUlid);
  } finally {
    const { captions } = await findCaptions(videoUlid);
    const pending = captions.filter(({ status }) => status === 'pending');
    await Promise.all(pending.map((caption) => postponeTranscription(videoUlid, caption)));
  }
}
