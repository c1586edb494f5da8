import { expect, test } from 'vitest';
import { describeCopy } from '../../../encoder-task/copy/describe-copy.ts';
import type { Movie } from '../../../encoder-task/isobmff/movie.ts';
import { createSampleList, pushSample } from '../../../encoder-task/isobmff/sample-list.ts';
import type { MovieTrack } from '../../../encoder-task/isobmff/track.ts';
import { videoTrack } from '../../functions/planning/source-fixture.ts';
import { configuration, moovOf } from '../support/clips/avc-movie.ts';

const sampleBytes = 20;
const frameCount = 10;
/** A NAL unit of an IDR picture that fills a sample. */
const idrSample = Buffer.concat([Buffer.from([0, 0, 0, sampleBytes - 4, 0x65]), Buffer.alloc(sampleBytes - 5, 0x88)]);
const video = videoTrack({ frameCount, width: 320, height: 180 });

/** A movie of ten key frames in a file of this size. */
function describe(totalBytes: number, changes: Partial<typeof video> = {}, sample = idrSample) {
  const samples = createSampleList(frameCount, { left: frameCount });
  for (let n = 0; n < frameCount; n++) {
    const times = { decodeTicks: n * 512, compositionOffset: 0 };
    pushSample(samples, { position: n * sampleBytes, bytes: sampleBytes, ...times, isKey: true, isHidden: false });
  }
  const moov = moovOf(configuration());
  const movie = { file: { moov }, tracks: [{ samples } as MovieTrack] } as Movie;
  const read = async (start: number, end: number) => sample.subarray(start % sampleBytes).subarray(0, end - start);
  return describeCopy({ read, totalBytes }, movie, { ...video, ...changes });
}

test('a track is described by its profile, its level and the sizes of its frames', async () => {
  expect(await describe(frameCount * sampleBytes)).toEqual({
    properties: { profile: 'high', level: 3 },
    index: { frameBytes: Array(frameCount).fill(sampleBytes), starts: Array.from({ length: frameCount }, (_, n) => n) },
  });
});

test('samples that share their bytes are not copied, because a small file would become a large one', async () => {
  expect((await describe(frameCount * sampleBytes - 1))?.properties).toEqual({ obstacle: 'damage' });
});

test.each<[obstacle: string, changes: Partial<typeof video>]>([
  ['frames', { frameCount: frameCount + 1 }],
  ['frames', { editShifts: [{ fromFrame: 1, ticks: 512 }] as never }],
  ['parameters', { width: 640, height: 360 }],
])('%s: the track is not as the samples are, %j', async (obstacle, changes) => {
  expect((await describe(1000, changes))?.properties).toEqual({ obstacle });
});

test('key frames must be IDR pictures', async () => {
  const other = Buffer.from(idrSample);
  other[4] = 0x61;
  expect((await describe(1000, {}, other))?.properties).toEqual({ obstacle: 'key-frames' });
});

test('other codecs have no properties', async () => {
  expect(await describe(1000, { codec: 'hevc' })).toBeUndefined();
});
