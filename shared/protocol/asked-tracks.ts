import * as z from 'zod';
import { JobError } from './job-errors.ts';

/** The streams of a source that a template names, by their indexes in the file. */
export const askedTracksSchema = z.object({ video: z.int().optional(), audio: z.array(z.int()).optional() });
export type AskedTracks = z.infer<typeof askedTracksSchema>;

/** The error of a source without a stream that a template names. `found` are those that it has of this kind. */
export function missingTrack(kind: 'audio' | 'video', asked: number, found: number[]): JobError {
  const numbers = new Intl.ListFormat('en').format(found.slice(0, 20).map(String));
  const are = found.length === 1 ? 'track of the file is' : 'tracks of the file are';
  const has = found.length === 0 ? `The file has no ${kind} track` : `The ${kind} ${are} ${numbers}`;
  return new JobError(
    'INPUT_TRACK_MISSING',
    `${has}, and track ${asked} is asked for. Choose another one, or leave it to the service.`,
  );
}
