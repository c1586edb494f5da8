import { join } from 'node:path';
import { needBox } from '../isobmff/boxes.ts';
import { readCodecString } from '../isobmff/codec-string.ts';
import { readSampleDefaults, readTimescale } from '../isobmff/init-segment.ts';
import { readMediaSegment } from '../isobmff/media-segment.ts';
import type { SampleDefaults } from '../isobmff/track-fragment.ts';
import { downloadJoined } from '../transfer/download.ts';
import type { JobContext } from './job-context.ts';

/** A finished track as one fragmented file in the job folder. */
export type LocalTrack = {
  file: string;
  codecs: string;
  /** it has the projection of a 360° video */
  isSpherical: boolean;
  samples: number;
  startSeconds: number;
  durationSeconds: number;
  /** duration of each segment */
  partSeconds: number[];
};

/**
 * Joins the inputs `<name>/0` (the init segment), `<name>/1` and following into `file`, and reads their samples. Throws
 * RangeError when a part is incomplete.
 */
export async function fetchTrack(
  context: JobContext,
  { name, parts }: { name: string; parts: number },
  file: string,
): Promise<LocalTrack> {
  let init: { defaults: SampleDefaults; timescale: number; codecs: string; isSpherical: boolean } | undefined;
  let samples = 0;
  let startSeconds: number | undefined;
  const partSeconds: number[] = [];
  const roles = Array.from({ length: parts }, (_, n) => `${name}/${n}`);
  await downloadJoined(context, roles, join(context.folder, file), (bytes) => {
    if (!init) {
      const moov = needBox(bytes, 'moov');
      init = {
        defaults: readSampleDefaults(moov),
        timescale: readTimescale(moov),
        codecs: readCodecString(moov),
        isSpherical: moov.includes('sv3d'),
      };
      return;
    }
    const segment = readMediaSegment(bytes, init.defaults);
    samples += segment.samples.length;
    startSeconds ??= segment.decodeStartTicks / init.timescale;
    partSeconds.push(segment.durationTicks / init.timescale);
  });
  if (!init) throw new RangeError(`${name} has no init segment`);
  const durationSeconds = partSeconds.reduce((sum, seconds) => sum + seconds, 0);
  const { codecs, isSpherical } = init;
  return { file, codecs, isSpherical, samples, startSeconds: startSeconds ?? 0, durationSeconds, partSeconds };
}
