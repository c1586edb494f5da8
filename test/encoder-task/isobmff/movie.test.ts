import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { editMovie, type MovieEdit } from '../support/clips/edit-movie.ts';
import { packetLines, ranged, readMovie } from '../support/clips/mp4.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';

const files = useStoreAndFolder();
const videoInput = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=30000/1001:d=2.2'];
const audioInput = ['-f', 'lavfi', '-i', 'sine=d=2.2:r=44100'];
const small = [...h264, '-g', '20'];

beforeAll(() => ffmpeg(...videoInput, ...audioInput, ...small, '-bf', '3', '-c:a', 'aac', files.path('base.mp4')));

async function packetLinesOfFfprobe(file: string): Promise<Record<number, string[]>> {
  const { stdout } = await promisify(execFile)(
    'ffprobe',
    ['-v', 'error', '-show_entries', 'packet=stream_index,codec_type,pts,size,pos,flags', '-of', 'json', file],
    { maxBuffer: 1e8 },
  );
  const { packets } = JSON.parse(stdout) as { packets: Record<string, string>[] };
  const lines: Record<number, string[]> = {};
  for (const { stream_index, codec_type, pts, size, pos, flags } of packets) {
    if (codec_type !== 'video' && codec_type !== 'audio') continue;
    const [key, hidden] = [flags?.startsWith('K') ? 'K' : '_', flags?.includes('D') ? 'D' : '_'];
    lines[Number(stream_index)] ??= [];
    lines[Number(stream_index)]?.push([pts, key, hidden, size, pos].join(' '));
  }
  return lines;
}

async function expectFfprobesIndex(file: string): Promise<void> {
  const movie = await readMovie(ranged(await readFile(file)).read);
  expect(movie && packetLines(movie)).toEqual(await packetLinesOfFfprobe(file));
}

describe('the index without the media equals the packets of ffprobe', () => {
  const base = (...args: string[]) => ['-i', files.path('base.mp4'), '-c', 'copy', ...args];
  const encoded = (...args: string[]) => [...videoInput, ...audioInput, ...args];
  test.each<[string, string, () => string[]]>([
    ['B-frames, moov at the end', 'end.mp4', () => base()],
    ['moov at the start', 'front.mp4', () => base('-movflags', '+faststart')],
    ['an edit list that starts between key frames', 'edit.mp4', () => ['-ss', '1.1', ...base()]],
    ['the same in QuickTime', 'edit.mov', () => ['-ss', '1.1', ...base()]],
    ['negative composition offsets', 'negative.mp4', () => base('-movflags', '+negative_cts_offsets')],
    [
      'an open GOP',
      'open.mov',
      () => encoded(...h264, '-x264-params', 'open-gop=1:bframes=3:keyint=20', '-c:a', 'aac'),
    ],
    [
      'video that starts late',
      'late-video.mp4',
      () => ['-itsoffset', '0.7', ...videoInput, ...audioInput, ...small, '-c:a', 'aac'],
    ],
    [
      'audio that starts late',
      'late-audio.mp4',
      () => [...videoInput, '-itsoffset', '0.7', ...audioInput, ...small, '-c:a', 'aac'],
    ],
    [
      'variable frame times',
      'vfr.mp4',
      () => [...videoInput, '-vf', "select='not(mod(n,7))+not(mod(n,5))'", '-fps_mode', 'passthrough', ...small],
    ],
    ['fragments', 'fragments.mp4', () => base('-movflags', 'frag_keyframe+empty_moov')],
    ['CMAF fragments', 'cmaf.mp4', () => base('-movflags', 'cmaf')],
    ['fragments after a segment index', 'sidx.mp4', () => base('-movflags', 'dash+global_sidx')],
    [
      'several video and audio tracks in any order',
      'many.mov',
      () => base('-map', '0:a', '-map', '0:v', '-map', '0:v', '-map', '0:a'),
    ],
    ['ProRes with PCM audio', 'prores.mov', () => encoded('-c:v', 'prores_ks', '-c:a', 'pcm_s16le')],
    ['PCM audio cut at any sample', 'cut.mov', () => ['-ss', '0.333', '-i', files.path('prores.mov'), '-c', 'copy']],
    [
      'Motion JPEG with 24-bit audio',
      'mjpeg.mov',
      () => encoded('-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s24le'),
    ],
    ['MPEG-4 part 2', 'mpeg4.m4v', () => [...videoInput, '-c:v', 'mpeg4', '-bf', '2', '-g', '20']],
    [
      'H.263 in 3GP',
      'h263.3gp',
      () => ['-i', files.path('base.mp4'), '-s', '176x144', '-r', '15', '-c:v', 'h263', '-c:a', 'aac'],
    ],
    [
      'HEVC with an open GOP',
      'hevc.mp4',
      () =>
        encoded(
          '-c:v',
          'libx265',
          '-preset',
          'ultrafast',
          '-x265-params',
          'open-gop=1:keyint=20:log-level=error',
          '-c:a',
          'alac',
        ),
    ],
    [
      'VP9 and Opus',
      'vp9.mp4',
      () => encoded('-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus'),
    ],
    ['tags before the tracks', 'tags.mp4', () => base('-movflags', '+faststart', '-metadata', 'title=x')],
  ])('%s', async (_, name, args) => {
    const file = files.path(name);
    await ffmpeg(...args(), file);
    await expectFfprobesIndex(file);
  });

  const [start, middle, end] = [0.3, 0.9, 1.7];
  test.each<[string, MovieEdit[]]>([
    ['in their order', [start, middle, end].map((fromSeconds) => ({ fromSeconds, seconds: 0.41 }))],
    ['in another order', [end, start, middle].map((fromSeconds) => ({ fromSeconds, seconds: 0.5 }))],
    ['over again', [middle, middle, middle].map((fromSeconds) => ({ fromSeconds, seconds: 0.33 }))],
    ['with pauses', [null, start, null, end].map((fromSeconds) => ({ fromSeconds, seconds: 0.4 }))],
    ['beyond the end', [end, start].map((fromSeconds) => ({ fromSeconds, seconds: 3 }))],
  ])('several edits, %s', async (name, edits) => {
    const file = files.path(`edits ${name}.mp4`);
    await writeFile(file, editMovie(await readFile(files.path('base.mp4')), edits));
    await expectFfprobesIndex(file);
  });

  test('two concatenated files, with two descriptions of the same codec', async () => {
    const other = files.path('other.mp4');
    await ffmpeg(...videoInput, ...audioInput, ...h264, '-x264-params', 'cabac=0:ref=1', '-c:a', 'aac', other);
    const [list, file] = [files.path('list.txt'), files.path('joined.mp4')];
    await writeFile(list, `file ${files.path('base.mp4')}\nfile ${other}\n`);
    await ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', file);
    await expectFfprobesIndex(file);
  });
});

test('the media itself is not read', async () => {
  const file = files.path('heavy.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=25:d=4,noise=alls=40:allf=t', ...h264, '-qp', '10', file);
  const bytes = await readFile(file);
  const { read, readBytes } = ranged(bytes);
  expect(await readMovie(read)).toBeDefined();
  expect(bytes.length).toBeGreaterThan(4_000_000);
  expect(readBytes()).toBeLessThan(100_000);
});

test('samples after the end of a file that was cut off are ignored', async () => {
  const file = files.path('faststart.mp4');
  await ffmpeg('-i', files.path('base.mp4'), '-c', 'copy', '-movflags', '+faststart', file);
  const whole = await readFile(file);
  const movie = await readMovie(ranged(whole.subarray(0, Math.floor(whole.length * 0.7))).read);
  const [frames, all] = [packetLines(movie!)[0]!.length, movie!.tracks[0]!.samples.length];
  expect(all).toBe(66);
  expect(frames).toBeGreaterThan(30);
  expect(frames).toBeLessThan(66);
});
