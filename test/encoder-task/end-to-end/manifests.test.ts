import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkMedia } from '../../../encoder-task/verify/check-media.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { contrastsInput, h264, useStoreAndFolder } from '../support/clips.ts';
import { decodedHashes, decodeErrors, ffmpeg, streamsOf } from '../support/ffmpeg.ts';
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
  file = source,
): Promise<{ folder: string; plan: Plan; text: (file: string) => Promise<string> }> {
  const folder = files.path(name);
  const { plan } = await makeOutputs(files.store, file, { chunk_duration: 4, ...query }, folder);
  const { problems, entries } = await checkMedia(folder);
  expect(problems).toEqual([]);
  expect(entries).toBeGreaterThan(0);
  return { folder, plan, text: (file) => readFile(join(folder, 'outputs', file), 'utf8') };
}

describe('HLS and DASH over the same segments', () => {
  const codecCases: [string, string, string, string][] = [
    ['8-bit HEVC', 'hevc', 'yuv420p', 'hvc1.1.6.L60.90'],
    ['10-bit HEVC', 'hevc', 'yuv420p10le', 'hvc1.2.4.L60.90'],
    ['AV1', 'av1', 'yuv420p', 'av01.0.00M.08.0.111.05.06.05.0'],
    ['8-bit VP9', 'vp9', 'yuv420p', 'vp09.00.10.08.00.05.06.05.00'],
    ['10-bit VP9', 'vp9', 'yuv420p10le', 'vp09.02.10.10.00.05.06.05.00'],
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

  test('name the size on a screen, where AV1 has more lines than the picture', async () => {
    const wide = files.path('wide.mp4');
    await ffmpeg(...contrastsInput({ size: '160x32', seconds: 1, rate: 25 }), ...h264, wide);
    const query = { video: [{ name: 'v', codec: 'av1', ...rung, width: 160 }], outputs: hlsAndDash };
    const { text } = await outputsOf('wide', query, wide);
    expect(await text('hls/master.m3u8')).toContain('RESOLUTION=320x64');
    expect(await text('dash/manifest.mpd')).toContain('sar="2:1"');
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

  test('of stereo and 5.1 have a group for each, with both languages', async () => {
    const { text } = await outputsOf('channels', {
      video: [{ name: 'v', codec: 'h264', ...rung }],
      audio: [2, 6].map((channels) => ({
        name: `of${channels}`,
        codec: 'aac',
        languages: 'all',
        channels,
        bitrate: `${64 * channels}k`,
      })),
      outputs: hlsAndDash,
    });
    const master = await text('hls/master.m3u8');
    expect(master.match(/GROUP-ID="[^"]+",NAME="[^"]+"|URI="of.*?"/g)).toEqual([
      'GROUP-ID="audio-mp4a-2",NAME="English"',
      'URI="of2-en.m3u8"',
      'GROUP-ID="audio-mp4a-2",NAME="German"',
      'URI="of2-de.m3u8"',
      'GROUP-ID="audio-mp4a-6",NAME="English"',
      'URI="of6-en.m3u8"',
      'GROUP-ID="audio-mp4a-6",NAME="German"',
      'URI="of6-de.m3u8"',
    ]);
    const [stereo, surround] = [...master.matchAll(/:BANDWIDTH=(\d+)/g)].map(([, bits]) => Number(bits));
    expect(stereo).toBeLessThan(surround!);
    expect((await text('dash/manifest.mpd')).match(/(?<=role:2011" value=")\w+/g)).toEqual([
      'main',
      'main',
      'alternate',
      'main',
      'alternate',
    ]);
  });

  test('have the names and roles of the source, and no description is the main track', async () => {
    const file = files.path('roles.mkv');
    const tracks: [language: string, title: string, disposition: string][] = [
      ['deu', 'Deutsch, "DD"', '0'],
      ['deu', 'Hörfilmfassung', 'default+visual_impaired'],
      ['eng', 'Commentary', 'comment'],
      ['und', '', '0'],
    ];
    await ffmpeg(
      ...['-f', 'lavfi', '-i', 'testsrc2=s=256x144:r=25:d=2', '-f', 'lavfi', '-i', 'sine=d=2', '-map', '0'],
      ...tracks.flatMap(() => ['-map', '1']),
      ...tracks.flatMap(([language, title, disposition], n) => [
        ...[`-metadata:s:a:${n}`, `language=${language}`, `-metadata:s:a:${n}`, `title=${title}`],
        ...[`-disposition:a:${n}`, disposition],
      ]),
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', file],
    );
    const query = {
      video: [{ name: 'v', codec: 'h264', ...rung }],
      audio: [
        { name: 'a', codec: 'aac', languages: 'all' },
        { name: 'talk', codec: 'aac', languages: ['en'] },
      ],
      outputs: [...hlsAndDash.map((output) => ({ ...output, audio: ['a'] })), { format: 'mp4', audio: ['talk'] }],
    };
    const { text, plan, folder } = await outputsOf('roles', query, file);
    expect((await text('hls/master.m3u8')).match(/NAME=.*?(?=,CHANNELS)/g)).toEqual([
      'NAME="Deutsch, DD",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES',
      'NAME="a-und",DEFAULT=NO,AUTOSELECT=YES',
      'NAME="Hörfilmfassung",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video"',
      'NAME="Commentary",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=NO',
    ]);
    const labels = (await text('dash/manifest.mpd')).match(/(?<=<Label>).*?(?=<)|(?<=:2007" value=").*?(?=")/g);
    expect(labels).toEqual(['Deutsch, &quot;DD&quot;', 'a-und', 'Hörfilmfassung', '1', 'Commentary']);
    const decisions = plan.decisions?.filter(({ code }) => code.startsWith('audio'));
    expect(decisions).toMatchObject([{ code: 'audio_track_chosen', facts: { stream: 1, reason: 'role' } }]);
    const [, audio] = await streamsOf(join(folder, 'outputs/mp4/video.mp4'));
    expect(audio?.disposition).toMatchObject({ default: 1, comment: 1 });
  });

  test('can be audio only', async () => {
    const { text } = await outputsOf('sound', {
      audio: [{ name: 'a', codec: 'aac', languages: 'all', bitrate: '64k' }],
      outputs: [...hlsAndDash, { format: 'mp4' }],
    });
    expect(await text('hls/master.m3u8')).toContain('CODECS="mp4a.40.2",AUDIO="audio-mp4a"');
  });
});

test.each(['h264', 'hevc', 'vp9'])('chunks of different content fit together after two passes of %s', async (codec) => {
  const contrasts = files.path(`contrasts-${codec}.mp4`);
  await ffmpeg(...contrastsInput({ size: '160x90', seconds: 4, rate: 25 }), ...h264, contrasts);
  const average = { width: 160, bitrate: '100k', two_pass: true, preset: 'fast', gop: 1 };
  const query = { video: [{ name: 'v', codec, ...average }], outputs: [...hlsAndDash, { format: 'mp4' }] };
  const { folder } = await outputsOf(`two-passes-${codec}`, query, contrasts);
  const file = join(folder, 'outputs/mp4/video.mp4');
  expect([await decodeErrors(file), (await decodedHashes(file)).length]).toEqual(['', 12 * 25]);
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
