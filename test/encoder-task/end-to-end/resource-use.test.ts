import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { box, smallMovie } from '../support/clips/mp4.ts';
import { h264, makeClip, useStoreAndFolder } from '../support/clips.ts';
import { limits } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { measurePeakUse } from '../support/peak-use.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();
const work = () => files.path('work');

/** Below a worker's 6 GiB of memory and 18 GiB of disk. The largest accepted frame has 35 megapixels. */
const mostMemoryBytes = 2 ** 30;
const mostDiskBytes = 32 * 2 ** 20;

const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 90, preset: 'ultrafast', gop: 1, crf: 30 }],
  audio: [{ name: 'a', codec: 'aac', bitrate: '96k', channels: 2, languages: 'all' }],
  outputs: [{ format: 'hls', segment_duration: 2 }],
  thumbnails: { poster: { at: '10%', width: 160 } },
};

beforeEach(async () => {
  await mkdir(work(), { recursive: true });
  // the programs run as an unprivileged user, who needs access to the job folder
  await chmod(work(), 0o711);
  vi.stubEnv('TMPDIR', work());
});
afterEach(() => vi.unstubAllEnvs());

/** Runs all jobs of a file within the limits of a worker. Resolves with the error code if the file was rejected. */
async function taken(file: string): Promise<string | undefined> {
  const { error, use } = await measurePeakUse(() => runPlan(files.store, file, query), work());
  expect(use.memoryBytes).toBeLessThan(mostMemoryBytes);
  expect(use.diskBytes).toBeLessThan(mostDiskBytes);
  expect(use.seconds).toBeLessThan(limits.wallSeconds);
  if (error === undefined) return undefined;
  expect(error).toMatchObject({ fatal: true });
  return (error as { code: string }).code;
}

async function takenBytes(name: string, content: string | Buffer): Promise<string | undefined> {
  await writeFile(files.path(name), content);
  return taken(files.path(name));
}

describe('stays within the memory, disk and time limits of a worker', () => {
  test('a frame above the size limit', async () => {
    const bytes = await readFile(await makeClip(files.path('small.mov'), '25', 0.4, '-c:v', 'qtrle'));
    const entry = bytes.indexOf('rle ', bytes.indexOf('stsd', 0, 'latin1'), 'latin1');
    bytes.writeUInt16BE(60_000, entry + 4 + 24);
    bytes.writeUInt16BE(60_000, entry + 4 + 26);
    expect(await takenBytes('huge.mov', bytes)).toMatch(/^INPUT_(TOO_LARGE|UNSUPPORTED)$/);
  });

  const images: [string, string, string[]][] = [
    ['PNG', 'mov', ['-c:v', 'png']],
    ['MJPEG', 'avi', ['-c:v', 'mjpeg', '-q:v', '31', '-pix_fmt', 'yuvj420p']],
    ['GIF', 'gif', []],
  ];
  test.each(sampled(images, ['GIF']))(
    'a small %s that decodes to many frames of the largest size',
    async (_, extension, codec) => {
      const [one, many] = [files.path(`one.${extension}`), files.path(`many.${extension}`)];
      await ffmpeg('-f', 'lavfi', '-i', 'color=s=8192x4320:r=10', '-frames:v', '1', ...codec, one);
      await ffmpeg('-stream_loop', '1', '-i', one, '-c', 'copy', many);
      expect(await taken(many)).toBeUndefined();
    },
  );

  test('ten thousand frames per second', async () => {
    const file = files.path('fast.mp4');
    await ffmpeg('-f', 'lavfi', '-i', 'color=s=32x32:r=10000:d=1', ...h264, '-video_track_timescale', '10000', file);
    expect(await taken(file)).toBeUndefined();
  });

  test('a second that declares a duration of days', async () => {
    const bytes = await readFile(await makeClip(files.path('second.mp4'), '25', 1, ...h264));
    for (const [name, offset] of [
      ['mvhd', 20],
      ['tkhd', 24],
      ['mdhd', 20],
    ] as const)
      bytes.writeUInt32BE(0xffff_fff0, bytes.indexOf(name, 0, 'latin1') + offset);
    expect(await takenBytes('days.mp4', bytes)).toBeUndefined();
  });

  test('a million fragments without a frame', async () => {
    const moov = smallMovie({ stsz: [0, 0, 0], stco: [0, 0], stsc: [0, 0], stts: [0, 0], stss: [0, 0] });
    const fragment = box('moof', box('mfhd', 0, 1), box('traf', box('tfhd', 0, 1), box('trun', 0, 0)));
    expect(await takenBytes('fragments.mp4', Buffer.concat([moov, ...Array(1_000_000).fill(fragment)]))).toMatch(
      /^INPUT_/,
    );
  });

  test('ten thousand fragments with one frame each', async () => {
    const file = files.path('fragmented.mp4');
    const fragments = ['-bf', '0', '-movflags', 'frag_every_frame+empty_moov'];
    await ffmpeg('-f', 'lavfi', '-i', 'color=s=16x16:r=200:d=50', ...h264, ...fragments, file);
    expect(await taken(file)).toBeUndefined();
  });

  const playlists: [string, string, string][] = [
    ['HLS', '#EXTM3U\n#EXT-X-TARGETDURATION:1\n', '#EXTINF:1,\nfile:///etc/passwd\n'],
    ['concat', 'ffconcat version 1.0\n', "file '/dev/zero'\n"],
    [
      'DASH',
      '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period>',
      '<BaseURL>/dev/zero</BaseURL>',
    ],
  ];
  test.each(sampled(playlists, ['HLS']))('a playlist of a hundred thousand names: %s', async (_, head, entry) => {
    expect(await takenBytes('list.mp4', head + entry.repeat(100_000))).toBe('INPUT_NOT_MEDIA');
  });

  test('media in an infinite file', async () => {
    const movie = smallMovie({}, { dref: box('url ', 0, 'file:///dev/zero\0') });
    expect(await takenBytes('elsewhere.mov', movie)).toMatch(/^INPUT_/);
  });
});
