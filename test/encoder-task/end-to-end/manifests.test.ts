import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkMedia } from '../../../encoder-task/verify/check-media.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { decodedHashes, ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';

const files = useStoreAndFolder();
let source: string;

/** 3 s at 25 fps, with 5.1 in English and stereo in German. */
beforeAll(async () => {
  source = files.path('source.mkv');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=256x144:r=25:d=3', '-f', 'lavfi', '-i', 'sine=d=3:r=48000'],
    ...[
      '-filter_complex',
      '[1]asplit[a][b];[a]aformat=channel_layouts=5.1[six];[b]aformat=channel_layouts=stereo[two]',
    ],
    ...['-map', '0', '-map', '[six]', '-map', '[two]', '-metadata:s:a:0', 'language=eng'],
    ...['-metadata:s:a:1', 'language=deu', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'flac', source],
  );
});

const rung = { width: 256, crf: 40, preset: 'ultrafast', gop: 1 };
const hlsAndDash = [
  { format: 'hls', segment_duration: 1 },
  { format: 'dash', segment_duration: 1 },
];

/** Makes the outputs of a query, checks them, and returns the text of the given manifest. */
async function outputsOf(
  name: string,
  query: object,
): Promise<{ folder: string; text: (file: string) => Promise<string> }> {
  const folder = files.path(name);
  await makeOutputs(files.store, source, { chunk_duration: 4, ...query }, folder);
  const { problems, entries } = await checkMedia(folder);
  expect(problems).toEqual([]);
  expect(entries).toBeGreaterThan(0);
  return { folder, text: (file) => readFile(join(folder, 'outputs', file), 'utf8') };
}

describe('HLS and DASH over the same segments', () => {
  const codecCases: [string, string, string, string][] = [
    ['8-bit HEVC', 'hevc', 'yuv420p', 'hvc1.1.6.L60.90'],
    ['10-bit HEVC', 'hevc', 'yuv420p10le', 'hvc1.2.4.L60.90'],
    ['AV1', 'av1', 'yuv420p', 'av01.0.00M.08'],
    ['8-bit VP9', 'vp9', 'yuv420p', 'vp09.00.10.08'],
    ['10-bit VP9', 'vp9', 'yuv420p10le', 'vp09.02.10.10'],
  ];
  const sample = ['10-bit HEVC', 'AV1', '8-bit VP9'];
  test.each(sampled(codecCases, sample))('of %s with opus have no problems', async (_, codec, pixel_format, codecs) => {
    const { text } = await outputsOf(`${codec}-${pixel_format}`, {
      video: [{ name: 'v', codec, pixel_format, ...rung }],
      audio: [{ name: 'a', codec: 'opus', bitrate: '64k' }],
      outputs: hlsAndDash,
    });
    expect(await text('hls/master.m3u8')).toContain(`CODECS="${codecs},opus"`);
    expect(await text('dash/manifest.mpd')).toContain(`codecs="${codecs}"`);
  });

  test('have each language once, with its encoded channels', async () => {
    const { text } = await outputsOf('languages', {
      video: [{ name: 'v', codec: 'h264', ...rung }],
      audio: [
        { name: 'surround', codec: 'aac', channels: 6, languages: 'all', bitrate: '192k' },
        { name: 'stereo', codec: 'opus', channels: 2, languages: ['de'], bitrate: '64k' },
      ],
      outputs: hlsAndDash,
    });
    const master = await text('hls/master.m3u8');
    expect(master.match(/GROUP-ID="[^"]+",NAME="[^"]+",LANGUAGE="..".*?CHANNELS="\d"/g)).toEqual([
      'GROUP-ID="audio-mp4a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="6"',
      'GROUP-ID="audio-mp4a",NAME="German",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2"',
      'GROUP-ID="audio-opus",NAME="German",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"',
    ]);
    expect((await text('dash/manifest.mpd')).match(/lang="\w+"/g)).toEqual(['lang="en"', 'lang="de"', 'lang="de"']);
  });

  test('can be audio only', async () => {
    const { text } = await outputsOf('sound', {
      audio: [{ name: 'a', codec: 'aac', languages: 'all', bitrate: '64k' }],
      outputs: [...hlsAndDash, { format: 'mp4' }],
    });
    expect(await text('hls/master.m3u8')).toContain('CODECS="mp4a.40.2",AUDIO="audio-mp4a"');
  });
});

test('the byte range of an I-frame playlist decodes to the first frame of the segment', async () => {
  const { folder, text } = await outputsOf('winding', {
    video: [{ name: 'v', codec: 'h264', ...rung }],
    outputs: [{ format: 'hls', segment_duration: 1 }],
  });
  const [, bytes, path] = /BYTERANGE:(\d+)@0\n\S*?(video\S*00001\.m4s)/.exec(await text('hls/v-key-frames.m3u8'))!;
  const [init, segment] = await Promise.all([
    readFile(join(folder, 'video/v/init.mp4')),
    readFile(join(folder, path!)),
  ]);
  const picture = async (name: string, media: Buffer): Promise<string | undefined> => {
    await writeFile(files.path(name), Buffer.concat([init, media]));
    const hashes = await decodedHashes(files.path(name), '-frames:v', '1');
    return hashes[0]?.split(',').at(-1);
  };
  const head = await picture('head.mp4', segment.subarray(0, Number(bytes)));
  expect(head).toMatch(/[0-9a-f]{32}/);
  expect(head).toBe(await picture('whole.mp4', segment));
});
