import * as z from 'zod';
import { findCaptions } from '../table/videos/caption-table.ts';
import { postponeTranscription } from '../table/videos/pending-captions.ts';
import { continueTranscription } from './continue-transcription.ts';

const input = z.looseObject({ videoUlid: z.string(), isDue: z.boolean().default(false) });

/**
 * Continues the captions from the speech of a video: called when they were requested, changed or deleted, and when a
 * job has ended. `isDue`: no such call came in time, and the captions are looked at again later.
 */
export async function handler(raw: unknown): Promise<void> {
  const { videoUlid, isDue } = input.parse(raw);
  try {
    await continueTranscription(videoUlid);
  } finally {
    if (isDue) await postponePending(videoUlid);
  }
}

async function postponePending(videoUlid: string): Promise<void> {
  const { captions } = await findCaptions(videoUlid);
  const pending = captions.filter(({ status }) => status === 'pending');
  await Promise.all(pending.map((caption) => postponeTranscription(videoUlid, caption)));
}
