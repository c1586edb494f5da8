import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { editMovie, type MovieEdit } from '../support/clips/edit-movie.ts';
import { beepingAudio, numberedVideo, shownFrames } from '../support/clips/numbered.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { expectAsFfmpeg } from '../support/expect-as-ffmpeg.ts';
import { ffmpeg } from '../support/ffmpeg.ts';

const files = useStoreAndFolder();

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-threads', '1'];

async function clip(name: string, ...args: string[]): Promise<string> {
  const file = files.path(name);
  await ffmpeg(...args, file);
  return file;
}

describe('an AVI whose index has empty entries for repeated frames', () => {
  // ffmpeg's muxer writes an empty index entry for a missing frame
  const sparse = [
    ...[...numberedVideo(6), ...beepingAudio(6), '-vf', "select='not(mod(n,6))+between(n,105,115)'"],
    ...['-fps_mode', 'passthrough', '-enc_time_base', '1:25'],
  ];
  const codecs: [string, string, string[], number][] = [
    // the MPEG-4 encoder declares a delay of two frames, for which the muxer adds two more entries
    ['MPEG-4 and MP3', 'mpeg4.avi', ['-c:v', 'mpeg4', '-q:v', '3', '-g', '10', '-c:a', 'libmp3lame'], 150],
    ['H.264 and PCM', 'h264.avi', [...x264, '-bf', '0', '-g', '10', '-c:a', 'pcm_s16le'], 150],
  ];
  test.concurrent.each(sampled(codecs, ['MPEG-4 and MP3']))('of %s repeats them', async (_, name, args, frames) => {
    await expectAsFfmpeg(await clip(name, ...sparse, ...args), { frames });
  });
});

describe('an AVI with B-frames has every frame once, at the time at which a decoder returns it', () => {
  const codecs: [string, string, string[], number][] = [
    ['MPEG-4', 'b-mpeg4.avi', ['-c:v', 'mpeg4', '-q:v', '3', '-g', '10', '-bf', '2', '-b_strategy', '0'], 1],
    ['H.264', 'b-h264.avi', [...x264, '-bf', '3', '-g', '25', '-x264-params', 'b-pyramid=normal:b-adapt=0'], 2],
  ];
  test.concurrent.each(sampled(codecs, ['MPEG-4']))('%s', async (_, name, args, delayFrames) => {
    const input = [...numberedVideo(7), ...beepingAudio(7)];
    // the decoder returns the first frame after the start of the sound, and it is shown until then
    const made = await expectAsFfmpeg(await clip(name, ...input, ...args, '-c:a', 'pcm_s16le'), {
      numbers: Array.from({ length: 175 + delayFrames }, (_, n) => Math.max(0, n - delayFrames)),
    });
    expect(made.plan.groups[0]!.chunks).toHaveLength(2);
  });
});

describe('an MPEG-TS without some times has every frame', () => {
  const codecs: [string, string, string[]][] = [
    ['H.264', 'h264.ts', [...x264, '-bf', '2', '-b_strategy', '0', '-g', '25', '-c:a', 'aac']],
    ['MPEG-2', 'mpeg2.ts', ['-c:v', 'mpeg2video', '-q:v', '3', '-bf', '2', '-g', '12', '-c:a', 'mp2']],
  ];
  /** Removes the times of video packets whose number `isUntimed` accepts. */
  async function withoutTimes(name: string, args: string[], isUntimed: (packet: number) => boolean): Promise<string> {
    const file = await clip(name, ...numberedVideo(7), ...beepingAudio(7), ...args);
    const bytes = await readFile(file);
    let packet = 0;
    for (let at = 0; at < bytes.length; at += 188) {
      const startsPacket = (bytes[at + 1]! & 0x40) !== 0;
      const pes = at + 4 + ((bytes[at + 3]! & 0x20) === 0 ? 0 : 1 + bytes[at + 4]!);
      if (!startsPacket || bytes.readUInt32BE(pes) !== 0x1e0) continue;
      if (!isUntimed(packet++)) continue;
      bytes[pes + 7]! &= 0x3f;
      bytes.fill(0xff, pes + 9, pes + 9 + bytes[pes + 8]!);
    }
    await writeFile(file, bytes);
    return file;
  }
  const numbers = Array.from({ length: 175 }, (_, n) => n);

  test('at the first frame', async () => {
    await expectAsFfmpeg(await withoutTimes('first.ts', codecs[0]![2], (packet) => packet === 0), { numbers });
  });

  test.concurrent.each(sampled(codecs, ['MPEG-2']))('at every second frame: %s', async (_, name, args) => {
    const made = await expectAsFfmpeg(await withoutTimes(name, args, (packet) => packet % 2 === 1), { numbers });
    expect(made.probed.video).toMatchObject({ averageFrameRate: { num: 25, den: 1 }, constantFrameRate: true });
  });
});

describe('an MP4 whose edit list', () => {
  let movie: Buffer;
  beforeAll(async () => {
    const groups = ['-g', '50', '-bf', '2', '-b_strategy', '0', '-sc_threshold', '0'];
    const file = await clip('whole.mp4', ...numberedVideo(8), ...beepingAudio(8), ...x264, ...groups, '-c:a', 'aac');
    movie = await readFile(file);
  });
  const edited: [string, MovieEdit[]][] = [
    ['begins late', [{ fromSeconds: 3, seconds: 5 }]],
    ['keeps only the beginning', [{ fromSeconds: 0, seconds: 4 }]],
    [
      'keeps two parts',
      [
        { fromSeconds: 0, seconds: 3 },
        { fromSeconds: 6, seconds: 2 },
      ],
    ],
    [
      'plays parts in another order',
      [
        { fromSeconds: 4, seconds: 4 },
        { fromSeconds: 0, seconds: 2 },
      ],
    ],
    [
      'repeats a part',
      [
        { fromSeconds: 2, seconds: 3 },
        { fromSeconds: 2, seconds: 3 },
      ],
    ],
    [
      'plays parts at other rates',
      [
        { fromSeconds: 0, seconds: 3, rate: 2 },
        { fromSeconds: 6, seconds: 2, rate: 0.5 },
      ],
    ],
    [
      'pauses first',
      [
        { fromSeconds: null, seconds: 1 },
        { fromSeconds: 2, seconds: 4 },
      ],
    ],
  ];
  const sample = ['plays parts at other rates', 'pauses first'];
  test.concurrent.each(sampled(edited, sample))('%s presents the edited media', async (name, edits) => {
    const file = files.path(`${name}.mp4`);
    await writeFile(file, editMovie(movie, edits));
    const isAtOtherRate = edits.some((edit) => 'rate' in edit);
    await expectAsFfmpeg(file, isAtOtherRate ? { warning: 'It is played at normal speed.' } : {});
  });

  test('cuts between key frames starts each part at the end of the previous one, frame by frame', async () => {
    const file = files.path('between-keys.mp4');
    const parts = [
      { fromSeconds: 5.08, seconds: 2 },
      { fromSeconds: 0.44, seconds: 2.4 },
      { fromSeconds: 3.16, seconds: 1.6 },
    ];
    await writeFile(file, editMovie(movie, parts));
    const numbers = parts.flatMap(({ fromSeconds, seconds }) =>
      Array.from({ length: Math.round(seconds * 25) }, (_, n) => Math.round(fromSeconds * 25) + n),
    );
    // in ffmpeg's output, the last frame of a part and the first of the next overlap
    expect((await shownFrames(file)).map(({ number }) => number)).toEqual(numbers);
    const made = await expectAsFfmpeg(file, { numbers });
    expect(made.probed.video).toMatchObject({ constantFrameRate: true, editShifts: expect.any(Array) });
    expect(made.plan.groups[0]!.chunks).toHaveLength(2);
  });

  test('has an empty edit between two parts presents the beginning there, as ffmpeg does', async () => {
    const file = files.path('pause.mp4');
    const pause = { fromSeconds: null, seconds: 2 };
    await writeFile(file, editMovie(movie, [{ fromSeconds: 2, seconds: 3 }, pause, { fromSeconds: 4, seconds: 2 }]));
    await expectAsFfmpeg(file, { frames: 175 });
  });
});

describe('joined recordings', () => {
  type Part = { seconds?: number; args?: string[]; bytes?: number };
  /** Concatenated parts of four seconds each. The frame numbers continue from part to part. */
  async function join(name: string, parts: Part[], codecs: string[]) {
    const joined: Buffer[] = [];
    for (const [n, { seconds = 4, args = [], bytes }] of parts.entries()) {
      const input = [...numberedVideo(seconds, { first: n * 100 }), ...beepingAudio(seconds)];
      const part = await clip(`${n}-${name}`, ...input, ...codecs, ...args);
      joined.push((await readFile(part)).subarray(0, bytes));
    }
    await writeFile(files.path(name), Buffer.concat(joined));
    return files.path(name);
  }
  const h264 = [...x264, '-bf', '2', '-b_strategy', '0', '-g', '50', '-c:a', 'aac', '-f', 'mpegts'];
  const mpeg2 = ['-c:v', 'mpeg2video', '-bf', '2', '-g', '12', '-q:v', '3', '-c:a', 'mp2', '-f', 'vob'];
  const two = [{}, {}];
  /** A serial number that is the same in each run. Streams of one chain must have different ones. */
  const oggSerial = (serial: number) => ['-fflags', '+bitexact', '-serial_offset', String(serial)];
  const beeps = [1.5, 3.5, 5.5, 7.5];

  const continuous: [string, string, Part[], string[]][] = [
    ['a transport stream', 'joined.ts', two, h264],
    ['a transport stream of a camcorder', 'joined.mts', two, [...h264, '-mpegts_m2ts_mode', '1']],
    ['a DVD', 'joined.vob', two, mpeg2],
    ['a transport stream after a jump of half a minute', 'jump.ts', [{}, { args: ['-output_ts_offset', '34'] }], h264],
    ['a clock that wraps', 'wrapped.ts', [{ args: ['-output_ts_offset', '95440'] }, {}], h264],
  ];
  const sample = ['a clock that wraps'];
  test.concurrent.each(sampled(continuous, sample))('are continuous: %s', async (_, name, parts, codecs) => {
    await expectAsFfmpeg(await join(name, parts, codecs), { frames: 200, beeps });
  });

  const counts: [name: string, parts: number, seekingChunks: number][] = [
    ['four', 4, 2],
    ['five', 5, 3],
  ];
  test.each(sampled(counts, ['four']))(
    'are encoded in chunks that start in any of %s',
    async (name, parts, seeking) => {
      const file = await join(`${name}.ts`, Array(parts).fill({}), h264);
      const made = await expectAsFfmpeg(file, {
        frames: 100 * parts,
        beeps: Array.from({ length: 2 * parts }, (_, n) => 1.5 + 2 * n),
      });
      expect(made.plan.groups[0]!.chunks.filter(({ seekSeconds }) => seekSeconds !== null)).toHaveLength(seeking);
    },
  );

  test('one of which is cut off within a packet', async () => {
    const file = await join('cut.ts', [{ bytes: 30_001 }, {}], h264);
    const shown = await shownFrames(file);
    const second = shown.find(({ number }) => number === 100)!;
    expect(second.seconds).toBeGreaterThan(1.6);
    await expectAsFfmpeg(file, { beeps: [1.5, second.seconds + 1.5, second.seconds + 3.5] });
  });

  const oggCodecs: [string, string, string[]][] = [
    ['Vorbis', 'joined.ogg', ['-c:a', 'libvorbis']],
    ['Opus', 'joined.opus', ['-c:a', 'libopus']],
  ];
  test.each(sampled(oggCodecs, ['Opus']))('as chained Ogg streams of %s are all encoded', async (_, name, codec) => {
    const first = await readFile(await clip(`first-${name}`, ...beepingAudio(4), ...codec, ...oggSerial(1)));
    const second = await readFile(await clip(`second-${name}`, ...beepingAudio(4), ...codec, ...oggSerial(2)));
    await writeFile(files.path(name), Buffer.concat([first, second]));
    await expectAsFfmpeg(files.path(name), { beeps: [1.5, 3.5, 5.5, 7.5] });
  });

  test('as chained Ogg streams with video, of which FFmpeg reads only the first, cause a warning', async () => {
    const codecs = ['-c:v', 'libtheora', '-q:v', '8', '-c:a', 'libvorbis'];
    // noise, because the encoder drops repeated frames
    const noisy = ['-vf', 'noise=alls=4:allf=t'];
    const part = (n: number) =>
      clip(`${n}.ogv`, ...numberedVideo(4), ...beepingAudio(4), ...noisy, ...codecs, ...oggSerial(10 * n));
    const parts = [0, 1].map(part);
    const bytes = await Promise.all((await Promise.all(parts)).map((file) => readFile(file)));
    await writeFile(files.path('joined.ogv'), Buffer.concat(bytes));
    await expectAsFfmpeg(files.path('joined.ogv'), { frames: 100, beeps: [1.5, 3.5], warning: 'Only the first' });
  });

  test('with a gap of a few seconds keep it', async () => {
    const file = await join('hole.ts', [{}, { args: ['-output_ts_offset', '7.08'] }], h264);
    await expectAsFfmpeg(file, { frames: 275, beeps: [1.5, 3.5, 8.5, 10.5] });
  });
});

test('a clock that wraps in the middle of a recording is continuous', async () => {
  // after 2^33 ticks of 90 kHz
  const wrap = ['-output_ts_offset', String(2 ** 33 / 90_000 - 6), '-mpegts_copyts', '1'];
  const input = [...numberedVideo(12), ...beepingAudio(12)];
  await expectAsFfmpeg(await clip('wrap.ts', ...input, ...x264, '-bf', '2', '-g', '50', '-c:a', 'aac', ...wrap));
});

test('audio that pauses for longer than a jump of the clock does not change the video', async () => {
  const pause = ['-af', "aselect='not(between(t,2,14))'"];
  const input = [...numberedVideo(17), ...beepingAudio(17)];
  const file = await clip('pause.ts', ...input, ...pause, ...x264, '-bf', '2', '-g', '50', '-c:a', 'aac');
  await expectAsFfmpeg(file, { beeps: [1.5, 15.5] });
});

describe('H.264 in which no packet is marked as a key frame', () => {
  const openGroups = 'open-gop=1:keyint=25:min-keyint=25:bframes=2:b-adapt=0:scenecut=0';

  /**
   * Without key frames, recovery points and random access indicators: a decoder starts at the second GOP, which is not
   * marked.
   */
  async function unmarked(name: string, seconds: number): Promise<string> {
    const whole = await clip(`${name}.mp4`, ...numberedVideo(seconds), ...x264, '-x264-params', openGroups);
    const strip = 'h264_mp4toannexb,filter_units=remove_types=5-6,dump_extra=freq=all';
    const file = await clip(name, '-i', whole, '-c', 'copy', '-bsf:v', strip);
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at += 188) {
      const hasFlags = (bytes[at + 3]! & 0x20) !== 0 && bytes[at + 4]! > 0;
      if (hasFlags) bytes[at + 5]! &= ~0x40;
    }
    await writeFile(file, bytes);
    return file;
  }

  test('is encoded from the first decoded frame on', async () => {
    // ffmpeg 7.1 does not return two of the first ones, which repeat the frames before them.
    const frames = 14 * 25 - 25;
    const made = await expectAsFfmpeg(await unmarked('unmarked.ts', 14), { frames });
    expect(made.probed.video).toMatchObject({ constantFrameRate: true });
    expect(made.plan.groups[0]!.chunks.length).toBeGreaterThan(1);
  });
});
