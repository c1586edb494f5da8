import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { makeClapper, useStoreAndFolder } from '../support/clips.ts';
import { beepSeconds, decodeErrors, ffmpeg, flashSeconds, packetsOf, streamsOf } from '../support/ffmpeg.ts';
import { smallRung } from '../support/plan.ts';
import { encodeInChunks, encodeTrack, filesOf, packageFiles, probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

/** Encodes a clapper clip, whose tracks start at different times, to a clock that starts with the earlier track. */
async function encodeClapper(offsets: { videoOffset?: number; audioOffset?: number }) {
  const source = await makeClapper(files.path('clapper.mkv'), { seconds: 3.2, atSeconds: 1.6, ...offsets });
  const probed = await probeFile(files.store, source);
  const track = probed.audio[0]!;
  const videoStart = (probed.video!.startPts * probed.video!.timeBase.num) / probed.video!.timeBase.den;
  const originSeconds = Math.min(videoStart, track.startSeconds);
  const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')], { originSeconds });
  const tracks = encoded.results.map(({ tracks: [rung] }) => rung!);
  const audio = await encodeTrack(files.store, {
    rendition: {
      name: 'a0',
      streamIndex: track.streamIndex,
      codec: 'aac',
      bitrateBps: 64_000,
      channels: 1,
      sampleRateHz: 48_000,
      language: 'de',
      loudnessLufs: null,
      segmentSeconds: 0.5,
    },
    originSeconds,
    durationSeconds: track.durationSeconds,
  });
  return {
    video: { files: [tracks[0]!.init.file, ...tracks.flatMap(filesOf)], frameCount: encoded.frames },
    audio: [{ files: [audio.track.init.file, ...filesOf(audio.track)], language: 'de' }],
  };
}

describe('a progressive MP4', () => {
  test.each([
    ['together', {}],
    ['with audio first', { videoOffset: 0.4 }],
    ['with video first', { audioOffset: 0.4 }],
  ])('plays a clapper in sync whose tracks start %s', async (_, offsets) => {
    const tracks = await encodeClapper(offsets);
    const spec = { format: 'mp4', segmentSeconds: 0.5, durationSeconds: 3.6 } as const;
    const result = await packageFiles(files.store, spec, tracks);
    expect(result).toMatchObject({ files: [{ file: 'packaged/file.mp4' }], segments: [] });
    expect(result.codecs).toMatch(/^avc1\.\w{6},mp4a\.40\.2$/);
    const file = files.path('packaged.mp4');
    await writeFile(file, files.store.objects.get('packaged/file.mp4')!);
    expect(await decodeErrors(file)).toBe('');
    expect(await packetsOf(file)).toHaveLength(tracks.video.frameCount);
    const { videoOffset = 0, audioOffset = 0 } = offsets as { videoOffset?: number; audioOffset?: number };
    const lead = (await beepSeconds(file)) - (await flashSeconds(file));
    expect(Math.abs(lead - (audioOffset - videoOffset))).toBeLessThan(0.003);
    expect((await streamsOf(file))[1]?.tags?.language).toBe('deu');
    // the index comes first, so that playback starts before the download ends
    expect(files.store.objects.get('packaged/file.mp4')!.indexOf('moov')).toBeLessThan(100);
  });

  test('fails when a frame is missing', async () => {
    const tracks = await encodeClapper({});
    const spec = { format: 'mp4', segmentSeconds: 0.5, durationSeconds: 3.2 } as const;
    const short = { files: tracks.video.files.slice(0, -1), frameCount: tracks.video.frameCount };
    await expect(packageFiles(files.store, spec, { ...tracks, video: short })).rejects.toMatchObject({
      code: 'OUTPUT_MISMATCH',
      fatal: false,
    });
  });

  test('can have audio only', async () => {
    const { audio } = await encodeClapper({});
    await packageFiles(files.store, { format: 'mp4', segmentSeconds: 0.5, durationSeconds: 3.2 }, { audio });
    const file = files.path('sound.mp4');
    await writeFile(file, files.store.objects.get('packaged/file.mp4')!);
    expect(await streamsOf(file)).toMatchObject([{ codec_name: 'aac' }]);
    expect(Math.abs((await beepSeconds(file)) - 1.6)).toBeLessThan(0.025);
  });
});

describe('MPEG-TS segments', () => {
  test('are cut at key frames, keep every frame and play in sync', async () => {
    const tracks = await encodeClapper({});
    const spec = { format: 'hls-ts', segmentSeconds: 1, durationSeconds: 3.2 } as const;
    const { segments, files: written } = await packageFiles(files.store, spec, tracks);
    // as in the rendition: 12 frames at 25 fps
    expect(segments.map(({ file, startTicks }) => [file, startTicks])).toEqual(
      segments.map((_, n) => [`${String(n).padStart(5, '0')}.ts`, n * 480]),
    );
    expect(written.map(({ file }) => file)).toEqual(segments.map(({ file }) => file));
    const joined = files.path('joined.ts');
    await writeFile(joined, Buffer.concat(written.map(({ file }) => files.store.objects.get(file)!)));
    expect(await decodeErrors(joined)).toBe('');
    expect(await packetsOf(joined, 'v:0')).toHaveLength(tracks.video.frameCount);
    // ffmpeg starts MPEG-TS at 1.4 s, which is subtracted to compare both times with the source
    const plain = files.path('from-ts.mkv');
    await ffmpeg('-i', joined, '-c', 'copy', plain);
    expect(Math.abs((await flashSeconds(plain)) - (await beepSeconds(plain)))).toBeLessThan(0.021);
  });

  test('of audio alone do not end with one of a packet, for which hls.js waits forever', async () => {
    const { audio } = await encodeClapper({});
    const spec = { format: 'hls-ts', segmentSeconds: 0.8, durationSeconds: 3.2 } as const;
    const { segments } = await packageFiles(files.store, spec, { audio });
    expect(segments).toHaveLength(4);
    expect(Math.min(...segments.map(({ durationTicks }) => durationTicks))).toBeGreaterThan(700);
  });
});
