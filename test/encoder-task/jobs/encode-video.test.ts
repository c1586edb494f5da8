import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { describeTrack } from '../../../encoder-task/probe/describe-track.ts';
import { readHdr10 } from '../../../encoder-task/probe/picture/hdr10.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { withClosedCaption } from '../support/clips/closed-captions.ts';
import { changeFile, turnVideo } from '../support/clips/mp4.ts';
import { h264, makeClip, makeResizedClip, useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { decodeErrors, ffmpeg, firstFrameOf, packetsOf, streamsOf } from '../support/ffmpeg.ts';
import { smallRung } from '../support/plan.ts';
import { psnrOfFrames } from '../support/psnr.ts';
import { type Encoded, encodeInChunks, joinRung, probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

async function expectWhole(encoded: Encoded, name: string): Promise<string> {
  const joined = files.path(`joined-${name}.mp4`);
  await joinRung(files.store, encoded, name, joined);
  const packets = await packetsOf(joined);
  const { ticksPerFrame } = encoded.grid;
  expect(packets.map(({ pts }) => pts)).toEqual(Array.from({ length: encoded.frames }, (_, n) => n * ticksPerFrame));
  expect(await decodeErrors(joined)).toBe('');
  return joined;
}

const hdr10Of = async (file: string) => readHdr10(await firstFrameOf(file));

/** The lowest PSNR between frames of the same number: far below 25 dB when a frame is at a wrong position. */
async function worstPsnr(encoded: string, source: string, sourceFilters = 'null'): Promise<number> {
  const filters = `${sourceFilters},scale=160:90`;
  const values = await psnrOfFrames({ encoded, source, sourceFilters: filters, log: files.path('psnr.log') });
  return Math.min(...values);
}

describe('chunks of a source with a constant frame rate', () => {
  test('29.97 with open GOPs: every joined rung matches the source frame by frame', async () => {
    const source = await makeClip(
      files.path('open.mp4'),
      '30000/1001',
      2.3,
      ...h264,
      '-x264-params',
      'open-gop=1:keyint=20:bframes=3',
    );
    const probed = await probeFile(files.store, source);
    const encoded = await encodeInChunks(files.store, probed, [
      smallRung('v0'),
      smallRung('v1', { width: 80, height: 44 }),
    ]);
    expect(encoded.frames).toBe(69);
    const joined = await expectWhole(encoded, 'v0');
    await expectWhole(encoded, 'v1');
    expect(await worstPsnr(joined, source)).toBeGreaterThan(28);
  });

  test('all chunks of a rung share one init segment, and each segment starts with a key frame', async () => {
    const source = await makeClip(files.path('plain.mp4'), '25', 4.4, ...h264, '-g', '250');
    const encoded = await encodeInChunks(files.store, await probeFile(files.store, source), [smallRung('v0')]);
    expect(encoded.results.length).toBeGreaterThan(2);
    expect(new Set(encoded.results.map(({ tracks }) => tracks[0]?.init.sha256)).size).toBe(1);
    const segments = encoded.results.flatMap(({ tracks }) => tracks[0]!.segments);
    expect(segments.map(({ file }) => file)).toEqual(segments.map((_, n) => `v0/${String(n).padStart(5, '0')}.m4s`));
    const joined = await expectWhole(encoded, 'v0');
    const keys = (await packetsOf(joined)).flatMap(({ key }, n) => (key ? [n] : []));
    expect(keys).toEqual(Array.from({ length: Math.ceil(110 / 6) }, (_, n) => n * 6));
  });

  test('Matroska with millisecond ticks and MPEG-TS that starts late have the same grid', async () => {
    const plain = await makeClip(files.path('for-copies.mp4'), '30000/1001', 1.7, ...h264, '-bf', '2', '-g', '20');
    for (const [name, ...args] of [['ms.mkv'], ['late.ts', '-output_ts_offset', '1234.5']] as const) {
      const copy = files.path(name);
      await ffmpeg('-i', plain, '-c', 'copy', ...args, copy);
      const probed = await probeFile(files.store, copy);
      expect(probed.video).toMatchObject({
        averageFrameRate: { num: 30000, den: 1001 },
        constantFrameRate: true,
        frameCount: 51,
      });
      const joined = await expectWhole(await encodeInChunks(files.store, probed, [smallRung('v0')]), 'v0');
      expect(await worstPsnr(joined, plain)).toBeGreaterThan(28);
    }
  });

  test('closed captions stay in H.264, in the order of the frames', async () => {
    const plain = await makeClip(files.path('plain.h264'), '30', 2, ...h264, '-bf', '0', '-f', 'h264');
    const stream = files.path('captions.h264');
    const source = files.path('captions.mp4');
    await writeFile(stream, withClosedCaption(await readFile(plain), 'Kept here!'));
    await ffmpeg('-r', '30', '-i', stream, '-c', 'copy', source);
    const probed = await probeFile(files.store, source);
    expect(probed.video?.closedCaptions).toBe(true);
    const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')]);
    expect(encoded.results.length).toBeGreaterThan(1);
    const joined = await expectWhole(encoded, 'v0');
    const text = files.path('captions.srt');
    await ffmpeg('-f', 'lavfi', '-i', `movie=${joined}[out0+subcc]`, '-map', 's', text);
    expect(await readFile(text, 'utf8')).toContain('Kept here!');
  });

  test('a rotated source is encoded upright, without rotation metadata', async () => {
    const turned = await makeClip(files.path('turned.mp4'), '25', 1.2, ...h264);
    await changeFile(turned, (bytes) => turnVideo(bytes, 90));
    const probed = await probeFile(files.store, turned);
    expect(probed.video?.rotationDegrees).toBe(90);
    const joined = await expectWhole(
      await encodeInChunks(files.store, probed, [smallRung('v0', { width: 90, height: 160 })]),
      'v0',
    );
    const [video] = await streamsOf(joined);
    expect(video).toMatchObject({ width: 90, height: 160, sample_aspect_ratio: '1:1' });
    expect(video).not.toHaveProperty('side_data_list');
  });

  test('a source whose frame size changes becomes a track of one size', async () => {
    const sizes = ['320x180', '640x360'];
    const source = await makeResizedClip(files.path('changing.ts'), { seconds: 1, sizes }, ...h264, '-bf', '0');
    const probed = await probeFile(files.store, source);
    expect(probed.video?.frameCount).toBe(50);
    await expectWhole(await encodeInChunks(files.store, probed, [smallRung('v0')]), 'v0');
  });

  const changes = [
    ['grow', ['320x180', '640x360'], 180],
    ['shrink', ['640x360', '320x180'], 360],
  ] as const;
  test.each(changes)('frames that %s are all cropped to the same part of the picture', async (_, sizes, side) => {
    const lightMiddle = ['-vf', "geq=lum='if(lt(abs(X/W-0.5),0.3),235,16)':cb=128:cr=128", ...h264, '-bf', '0'];
    const source = await makeResizedClip(
      files.path('light-middle.ts'),
      { seconds: 0.6, sizes: [...sizes] },
      ...lightMiddle,
    );
    const rung = smallRung('v0', { crop: { width: side, height: side } });
    const probed = await probeFile(files.store, source);
    const joined = await expectWhole(await encodeInChunks(files.store, probed, [rung]), 'v0');
    const light = await makeClip(files.path('light.ts'), '25', 1.2, '-vf', 'geq=lum=235:cb=128:cr=128', ...h264);
    expect(await worstPsnr(joined, light)).toBeGreaterThan(28);
  });

  test.each(changes)('frames that %s are deinterlaced', async (_, sizes) => {
    const fields = ['-vf', 'setfield=tff', ...h264, '-flags', '+ilme+ildct', '-bf', '0'];
    const source = await makeResizedClip(files.path('fields.ts'), { seconds: 0.6, sizes: [...sizes] }, ...fields);
    const probed = await probeFile(files.store, source);
    expect(probed.video).toMatchObject({ interlaced: true, frameCount: 30 });
    await expectWhole(await encodeInChunks(files.store, probed, [smallRung('v0')]), 'v0');
  });

  test('an interlaced source keeps its frame count', async () => {
    const source = await makeClip(
      files.path('interlaced.ts'),
      '50',
      2,
      '-vf',
      'interlace',
      '-c:v',
      'mpeg2video',
      '-q:v',
      '3',
      '-flags',
      '+ilme+ildct',
      '-g',
      '12',
      '-bf',
      '2',
    );
    const probed = await probeFile(files.store, source);
    expect(probed.video).toMatchObject({ interlaced: true, frameCount: 50 });
    await expectWhole(await encodeInChunks(files.store, probed, [smallRung('v0')]), 'v0');
  });
});

describe('chunks of a source with a variable frame rate', () => {
  test('frames are on one grid, and none is lost or repeated at chunk borders', async () => {
    const source = await makeClip(
      files.path('vfr.mp4'),
      '60',
      3,
      '-vf',
      "select='not(mod(n,7))+not(mod(n,5))+gt(n,120)',setpts=PTS+0.4/TB",
      ...h264,
      '-fps_mode',
      'passthrough',
      '-g',
      '30',
    );
    const probed = await probeFile(files.store, source);
    expect(probed.video?.constantFrameRate).toBe(false);
    const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')]);
    const joined = await expectWhole(encoded, 'v0');
    const { num, den } = encoded.grid.frameRate;
    expect(await worstPsnr(joined, source, `fps=${num}/${den}:round=near`)).toBeGreaterThan(28);
  });
});

describe('each codec', () => {
  const codecCases = [
    ['hevc', 'yuv420p10le', 'Main 10', /^hvc1\.2\./],
    ['av1', 'yuv420p', 'Main', /^av01\.0\.\d\dM\.08\.0\.11\d\.06\.06\.06\.0$/],
    ['vp9', 'yuv420p', 'Profile 0', /^vp09\.00\.\d\d\.08\.0[01]\.06\.06\.06\.00$/],
  ] as const;
  // The test of PQ has all of them.
  test.each(sampled(codecCases, ['av1']))(
    '%s chunks join without a seam',
    async (codec, pixelFormat, profile, codecs) => {
      const source = await makeClip(files.path(`for-${codec}.mp4`), '30', 1.7, ...h264, '-g', '30');
      const encoded = await encodeInChunks(files.store, await probeFile(files.store, source), [
        smallRung('v0', { codec, pixelFormat, preset: 'ultrafast' }),
      ]);
      expect(encoded.results[0]?.tracks[0]?.codecs).toMatch(codecs);
      expect(encoded.results[0]?.tracks[0]?.facts).toMatchObject({ profile, pixelFormat });
      const joined = await expectWhole(encoded, 'v0');
      expect(await worstPsnr(joined, source)).toBeGreaterThan(25);
    },
  );

  test('an average bitrate in two passes', async () => {
    const source = await makeClip(files.path('two-pass.mp4'), '30', 1.2, ...h264);
    const rate = {
      mode: 'bitrate',
      bitrateBps: 200_000,
      maxBitrateBps: 400_000,
      bufferBits: 400_000,
      twoPass: true,
    } as const;
    const encoded = await encodeInChunks(files.store, await probeFile(files.store, source), [
      smallRung('v0', { rate }),
      smallRung('v1', { rate, codec: 'hevc', preset: 'ultrafast' }),
      smallRung('v2', { rate, codec: 'vp9', preset: 'ultrafast' }),
    ]);
    for (const name of ['v0', 'v1', 'v2']) await expectWhole(encoded, name);
  });
});

describe('the facts of a rung', () => {
  test('are read from the encoded track, once, in its first chunk', async () => {
    const source = await makeClip(files.path('bt601.mp4'), '25', 2.4, ...h264, '-colorspace', 'smpte170m');
    const probed = await probeFile(files.store, source);
    const asked = { profile: 'baseline', preset: 'veryfast' } as const;
    const { results } = await encodeInChunks(files.store, probed, [smallRung('v0', asked), smallRung('v1')]);
    const bt601 = { colorPrimaries: 'smpte170m', colorTransfer: 'smpte170m', colorSpace: 'smpte170m' };
    const shared = { pixelFormat: 'yuv420p', ...bt601, colorRange: 'tv' };
    expect(results.map(({ tracks }) => tracks.map(({ facts }) => facts))).toEqual([
      [
        { profile: 'Constrained Baseline', ...shared },
        { profile: 'High', ...shared },
      ],
      ...results.slice(1).map(() => [undefined, undefined]),
    ]);
    expect(results.length).toBeGreaterThan(1);
  });

  test('are missing for a track that ffprobe cannot read', async () => {
    const track = { name: 'v0', init: { file: 'init.mp4', bytes: 1, sha256: '' }, segments: [] };
    const spec = { kind: 'probe', sizeBytes: 1 } as const;
    const context = await contextFor(files.store, spec, {});
    await writeFile(join(context.folder, 'init.mp4'), 'no movie');
    expect(await describeTrack(context, track)).toEqual({});
  });
});

describe('colour', () => {
  test('PQ becomes BT.709 in 8 bits and stays PQ in 10 bits', async () => {
    const pq = [
      'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited:log-level=error',
      'master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400',
    ].join(':');
    const source = await makeClip(
      files.path('pq.mp4'),
      '25',
      0.6,
      '-pix_fmt',
      'yuv420p10le',
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-x265-params',
      pq,
    );
    const encoded = await encodeInChunks(files.store, await probeFile(files.store, source), [
      smallRung('sdr'),
      ...(['hevc', 'av1', 'vp9'] as const).map((codec) =>
        smallRung(codec, { codec, pixelFormat: 'yuv420p10le', preset: 'ultrafast' }),
      ),
    ]);
    const [sdr] = await streamsOf(await expectWhole(encoded, 'sdr'));
    expect(sdr).toMatchObject({
      color_transfer: 'bt709',
      color_primaries: 'bt709',
      color_space: 'bt709',
      pix_fmt: 'yuv420p',
    });
    expect(await hdr10Of(await expectWhole(encoded, 'sdr'))).toBeNull();
    const told = encoded.results[0]!.tracks.map(({ name, facts }) => [name, facts?.colorTransfer, facts?.pixelFormat]);
    expect(told).toEqual([
      ['sdr', 'bt709', 'yuv420p'],
      ...['hevc', 'av1', 'vp9'].map((codec) => [codec, 'smpte2084', 'yuv420p10le']),
    ]);
    for (const codec of ['hevc', 'av1', 'vp9']) {
      const joined = await expectWhole(encoded, codec);
      const [hdr] = await streamsOf(joined);
      expect(hdr).toMatchObject({ color_transfer: 'smpte2084', color_primaries: 'bt2020', pix_fmt: 'yuv420p10le' });
      expect(await hdr10Of(joined)).toEqual({
        screen: {
          red: [34_000, 16_000],
          green: [13_250, 34_500],
          blue: [7500, 3000],
          white: [15_635, 16_450],
          maxLuminance: 10_000_000,
          minLuminance: 50,
        },
        light: { maxContent: 1000, maxFrameAverage: 400 },
      });
    }
  });
});

describe('a damaged source', () => {
  test('the previous frame replaces those that cannot be decoded, so that every chunk has its planned length', async () => {
    const source = await makeClip(files.path('to-damage.ts'), '25', 2, ...h264, '-g', '10', '-bf', '0');
    const probed = await probeFile(files.store, source);
    const bytes = Buffer.from(files.store.objects.get('source')!);
    // most packets of the second half lose their payload
    for (let at = Math.floor(bytes.length / 2 / 188) * 188; at < bytes.length * 0.8; at += 188)
      bytes.fill(0, at + 4, at + 188);
    files.store.objects.set('source', bytes);
    const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')]);
    await expectWhole(encoded, 'v0');
    expect(encoded.results.flatMap(({ warnings }) => warnings ?? []).join()).toMatch(
      /^Between \d\.\d s and 2\.0 s, \d+ of \d+ frames cannot be decoded: the previous frame is repeated instead\.$/,
    );
  });

  test.each([
    ['25', /, \d+ of \d+ frames cannot be decoded/],
    ['varying', /, some frames cannot be decoded/],
  ])('zeroed bytes cause a warning, at a rate of %s', async (rate, warning) => {
    const timing = rate === 'varying' ? ['-vf', "select='mod(n,3)+gt(n,30)'", '-fps_mode', 'passthrough'] : [];
    const movie = ['-g', '10', '-bf', '0', '-video_track_timescale', '90000', '-movflags', '+faststart'];
    const source = await makeClip(files.path('zeroed.mp4'), '25', 2, ...timing, ...h264, ...movie);
    const bytes = await readFile(source);
    const media = bytes.indexOf('mdat', 0, 'latin1');
    const at = (share: number): number => Math.round(media + share * (bytes.length - media));
    bytes.fill(0, at(0.5), at(0.6));
    await writeFile(source, bytes);
    const probed = await probeFile(files.store, source);
    expect([probed.video?.constantFrameRate, probed.warnings]).toEqual([rate === '25', []]);
    const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')]);
    await expectWhole(encoded, 'v0');
    expect(encoded.results.flatMap(({ warnings }) => warnings ?? []).join()).toMatch(warning);
  });

  const inGroups = ['-g', '12', '-pix_fmt', 'yuv420p', '-threads', '1'];
  const flipped: [string, string[], number, RegExp][] = [
    // damage within a coded picture, which the decoder conceals
    ['H.264', [...h264, '-g', '12'], 400, /the video is damaged in \d+ place/],
    ['MPEG-2', ['-c:v', 'mpeg2video', '-q:v', '4', ...inGroups], 400, /the video is damaged in \d+ place/],
    // damage in headers, because these decoders do not report damage within a coded picture
    [
      'HEVC',
      ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error', ...inGroups],
      4,
      /\d+ of \d+ frames cannot be decoded|is damaged in/,
    ],
    [
      'VP9',
      ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', ...inGroups],
      0,
      /\d+ of \d+ frames cannot be decoded|is damaged in/,
    ],
  ];
  test.each(sampled(flipped, ['H.264', 'VP9']))(
    'flipped bytes of %s cause a warning',
    async (codec, args, from, warning) => {
      const source = await makeClip(files.path(`flipped-${codec}.mp4`), '25', 2, ...args);
      const bytes = await readFile(source);
      const { stdout } = await promisify(execFile)('ffprobe', [
        '-v',
        'error',
        '-show_entries',
        'packet=pos',
        '-of',
        'csv=p=0',
        source,
      ]);
      const positions = stdout.split(/\s+/).map(Number.parseFloat);
      for (const packet of [28, 29, 30]) for (let n = 0; n < 12; n++) bytes[positions[packet]! + from + n]! ^= 0xff;
      await writeFile(source, bytes);
      const probed = await probeFile(files.store, source);
      const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')]);
      await expectWhole(encoded, 'v0');
      expect(encoded.results.flatMap(({ warnings }) => warnings ?? []).join()).toMatch(warning);
    },
  );

  test('extra frames are dropped, also when they fill segments that are not planned', async () => {
    const probed = await probeFile(files.store, await makeClip(files.path('counted.mp4'), '25', 1.5, ...h264));
    const doubled = await makeClip(files.path('doubled.mp4'), '50', 1.5, ...h264, '-video_track_timescale', '12800');
    files.store.objects.set('source', await readFile(doubled));
    const encoded = await encodeInChunks(files.store, probed, [smallRung('v0')]);
    await expectWhole(encoded, 'v0');
    expect(encoded.results.flatMap(({ warnings }) => warnings ?? []).join()).toMatch(
      /decodes to \d+ frames instead of/,
    );
  });

  test('a chunk in which no frame can be decoded is an input error', async () => {
    const source = await makeClip(files.path('to-cut.mp4'), '25', 3, ...h264, '-g', '10', '-movflags', '+faststart');
    const probed = await probeFile(files.store, source);
    files.store.objects.set('source', files.store.objects.get('source')!.subarray(0, 20_000));
    await expect(encodeInChunks(files.store, probed, [smallRung('v0')])).rejects.toMatchObject({
      code: 'INPUT_DAMAGED',
      fatal: true,
    });
  });
});
