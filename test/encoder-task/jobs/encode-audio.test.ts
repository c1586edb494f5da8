import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { AudioRendition } from '../../../shared/protocol/encode-spec.ts';
import type { JobResult } from '../../../shared/protocol/jobs.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { makeClapper, useStoreAndFolder } from '../support/clips.ts';
import { beepSeconds, decodeErrors, ffmpeg, packetsOf, streamsOf } from '../support/ffmpeg.ts';
import { encodeTrack, filesOf, joinTrack, probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();
const aacFrameSeconds = 1024 / 48_000;

const rendition = (more: Partial<AudioRendition> = {}): AudioRendition => ({
  name: 'a0',
  streamIndex: 0,
  codec: 'aac',
  bitrateBps: 96_000,
  channels: 2,
  sampleRateHz: 48_000,
  language: 'en',
  loudnessLufs: null,
  segmentSeconds: 1,
  ...more,
});

/** Encodes and joins a track; checks that the file is valid, starts at tick 0 and has continuous segments. */
async function encodeAndJoin(source: string, more: Partial<AudioRendition>, originSeconds: number) {
  const probed = await probeFile(files.store, source);
  const track = probed.audio[0]!;
  const durationSeconds = track.startSeconds + track.durationSeconds - originSeconds;
  const result = await encodeTrack(files.store, {
    rendition: rendition({ streamIndex: track.streamIndex, ...more }),
    formatName: probed.formatName,
    originSeconds,
    durationSeconds,
  });
  const joined = files.path('joined-audio.mp4');
  await joinTrack(files.store, [result.track.init.file, ...filesOf(result.track)], joined);
  expect(await decodeErrors(joined)).toBe('');
  expect(result.track.segments[0]?.startTicks).toBe(0);
  return { joined, result, probed };
}

test('audio that cannot be decoded is silent, with a warning', async () => {
  const source = await makeClapper(files.path('zeroed.mp4'), { seconds: 2.5, atSeconds: 0.3 }, '-vn', '-b:a', '256k');
  const bytes = await readFile(source);
  const media = bytes.indexOf('mdat', 0, 'latin1');
  const soundBytes = bytes.indexOf('moov', 0, 'latin1') - media;
  bytes.fill(0xff, media + Math.round(soundBytes * 0.4), media + Math.round(soundBytes * 0.9));
  await writeFile(source, bytes);
  const { result } = await encodeAndJoin(source, {}, 0);
  expect(result.warnings).toEqual(['A part of the audio cannot be decoded and is silent.']);
});

describe.each(['aac', 'opus'] as const)('%s', (codec) => {
  test('a sound is at the same time as in the source', async () => {
    const source = await makeClapper(files.path(`beep-${codec}.mp4`), { seconds: 2.5, atSeconds: 1.3 });
    const { joined, result } = await encodeAndJoin(source, { codec }, 0);
    expect(Math.abs((await beepSeconds(joined)) - 1.3)).toBeLessThan(0.005);
    expect(result.track.codecs).toBe({ aac: 'mp4a.40.2', opus: 'opus' }[codec]);
    const facts = { sampleRateHz: 48_000, channelLayout: 'stereo' };
    expect(result.track.facts).toEqual(codec === 'aac' ? { ...facts, profile: 'LC' } : facts);
    expect(result.track.segments).toHaveLength(3);
    expectSegmentSeconds(result, 1);
  });

  test('the output clock starts at the origin: earlier audio is cut, missing audio is silent', async () => {
    const source = await makeClapper(files.path(`late-${codec}.mkv`), {
      seconds: 2,
      atSeconds: 1,
      videoOffset: 0,
      audioOffset: 0.7,
    });
    const { joined: filled } = await encodeAndJoin(source, { codec }, 0);
    expect(Math.abs((await beepSeconds(filled)) - 1.7)).toBeLessThan(0.005);
    const { joined: cut } = await encodeAndJoin(source, { codec }, 1.2);
    expect(Math.abs((await beepSeconds(cut)) - 0.5)).toBeLessThan(0.005);
    const { joined: shifted } = await encodeAndJoin(source, { codec }, -0.25);
    expect(Math.abs((await beepSeconds(shifted)) - 1.95)).toBeLessThan(0.005);
  });
});

function expectSegmentSeconds({ track }: JobResult<'encode-audio'>, seconds: number): void {
  for (const segment of track.segments.slice(0, -1)) {
    expect(Math.abs(segment.durationTicks / track.timescale - seconds)).toBeLessThan(2 * aacFrameSeconds);
  }
}

test('an end that cannot be decoded is silent up to the planned end', async () => {
  const source = await makeClapper(files.path('short.mp4'), { seconds: 2, atSeconds: 1 });
  await probeFile(files.store, source);
  const { track, durationSeconds } = await encodeTrack(files.store, {
    rendition: rendition({ streamIndex: 1 }),
    originSeconds: 0,
    durationSeconds: 3.5,
  });
  expect(durationSeconds).toBeGreaterThanOrEqual(3.5);
  expect(durationSeconds).toBeLessThan(3.5 + 3 * aacFrameSeconds);
  expect(track.segments).toHaveLength(4);
});

test('a gap in the source stays a gap, so that the rest is in sync', async () => {
  const plain = await makeClapper(files.path('no-hole.mp4'), { seconds: 4, atSeconds: 3 });
  const holed = files.path('hole.mkv');
  await ffmpeg('-i', plain, '-map', '0:a', '-c', 'copy', '-bsf:a', "noise=drop='between(pts*tb,1,1.6)'", holed);
  const { joined } = await encodeAndJoin(holed, {}, 0);
  expect(Math.abs((await beepSeconds(joined)) - (await beepSeconds(holed)))).toBeLessThan(0.005);
});

test('a broadcast that switches between two channels and one stays in sync', async () => {
  const part = async (name: string, channels: string, offset: string, beepAt: number): Promise<Buffer> => {
    const clapper = await makeClapper(
      files.path(name),
      { seconds: 2, atSeconds: beepAt },
      '-ac',
      channels,
      '-output_ts_offset',
      offset,
    );
    return readFile(clapper);
  };
  const source = files.path('changing.ts');
  await writeFile(source, Buffer.concat([await part('one.ts', '2', '0', 9), await part('two.ts', '1', '2.1', 1)]));
  const origin = (await probeFile(files.store, source)).audio[0]!.startSeconds;
  const { joined, result } = await encodeAndJoin(source, {}, origin);
  const expected = (await beepSeconds(files.path('two.ts'))) - origin;
  expect(Math.abs((await beepSeconds(joined)) - expected)).toBeLessThan(0.021);
  expect(result.durationSeconds).toBeLessThan(4.3);
});

test('six channels without a layout become two', async () => {
  const source = files.path('surround.mkv');
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'sine=d=1.2:r=44100',
    '-af',
    'pan=6c|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0',
    '-c:a',
    'pcm_s16le',
    source,
  );
  const { joined } = await encodeAndJoin(source, {}, 0);
  expect(await streamsOf(joined)).toMatchObject([{ channels: 2, sample_rate: '48000', codec_name: 'aac' }]);
  const { joined: surround } = await encodeAndJoin(source, { channels: 6, codec: 'opus' }, 0);
  expect(await streamsOf(surround)).toMatchObject([{ channels: 6, codec_name: 'opus' }]);
});

test('a packet of MPEG-PS with the time of the next one leaves no silence', async () => {
  const source = files.path('late-packet.mpg');
  // the time base of the filter is not the same in all versions of ffmpeg
  const late = "setts=ts='if(eq(N,60),TS+0.0311/TB,TS)'";
  await ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'sine=570:d=4:r=48000',
    '-c:a',
    'ac3',
    '-b:a',
    '448k',
    '-bsf:a',
    late,
    '-f',
    'vob',
    source,
  );
  const { joined } = await encodeAndJoin(source, {}, (await probeFile(files.store, source)).audio[0]!.startSeconds);
  const report = await ffmpeg('-v', 'info', '-i', joined, '-af', 'silencedetect=n=-40dB:d=0.005', '-f', 'null', '-');
  expect(report).not.toContain('silence_start: 1');
  expect(report).not.toContain('silence_start: 2');
});

test('the loudness is normalised to the target at the requested sample rate', async () => {
  const source = files.path('quiet.wav');
  await ffmpeg('-f', 'lavfi', '-i', 'anoisesrc=d=6:c=pink:a=0.02:r=48000', source);
  const { joined, result } = await encodeAndJoin(source, { loudnessLufs: -16, sampleRateHz: 44_100 }, 0);
  expect(await streamsOf(joined)).toMatchObject([{ sample_rate: '44100' }]);
  const report = await ffmpeg('-v', 'info', '-i', joined, '-af', 'ebur128', '-f', 'null', '-');
  const integrated = Number(/Integrated loudness:\s+I:\s+(-?[\d.]+)/.exec(report)?.[1]);
  expect(Math.abs(integrated - -16)).toBeLessThan(1.5);
  expect(result.track.facts).toMatchObject({ loudnessLufs: integrated, sampleRateHz: 44_100 });
});

const channelCounts = Array.from({ length: 8 }, (_, n) => [String(n + 1), n + 1] as const);

// AAC has no layout of seven channels.
test.each(sampled(channelCounts, ['3', '7']))('%s channels stay as many, in both codecs', async (_, channels) => {
  const source = files.path(`channels-${channels}.wav`);
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=0.5:r=48000', '-af', `pan=${channels}c|c${channels - 1}=c0`, source);
  const kept = channels === 7 ? 6 : channels;
  const { joined: aac } = await encodeAndJoin(source, { channels: kept, bitrateBps: 64_000 * kept }, 0);
  expect(await streamsOf(aac)).toMatchObject([{ channels: kept }]);
  const { joined: opus } = await encodeAndJoin(source, { channels, codec: 'opus', bitrateBps: 64_000 * channels }, 0);
  expect(await streamsOf(opus)).toMatchObject([{ channels }]);
});

test('silence has no loudness and is encoded unchanged', async () => {
  const source = files.path('silence.wav');
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=mono', '-t', '1', source);
  const { joined, result } = await encodeAndJoin(source, { loudnessLufs: -16, channels: 1 }, 0);
  expect((await packetsOf(joined)).length).toBeGreaterThan(40);
  expect(result.track.facts).toEqual({ profile: 'LC', sampleRateHz: 48_000, channelLayout: 'mono' });
});
