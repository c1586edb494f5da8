import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Color, colorDistance, colorsAt } from '../support/clips/colors.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg, type ShownStream, streamsOf } from '../support/ffmpeg.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

const red: Color = [200, 30, 30];
/** ffmpeg input of half a second of one colour, in RGB. */
const flat = (size: string): string[] => [
  ...['-f', 'lavfi', '-i', `color=c=0xC81E1E:s=${size}:r=25:d=0.5,format=gbrp`],
];
const untagged = 'setparams=colorspace=unknown:color_primaries=unknown:color_trc=unknown';
const inMatrix = (matrix: string): string[] => [
  ...['-vf', `scale=out_color_matrix=${matrix},format=yuv420p,${untagged}`, ...h264, '-qp', '4'],
];

const query = {
  version: 1,
  video: [
    { name: 'large', codec: 'h264', height: 720, preset: 'ultrafast', crf: 10 },
    { name: 'small', codec: 'h264', height: 64, preset: 'ultrafast', crf: 10 },
  ],
  outputs: [{ format: 'hls' }],
  thumbnails: { poster: { at: '0s', width: 64 } },
};

/** Of the conversions from RGB and back in 8 bits. A wrong matrix changes the red by 16. */
const roundings = 5;
const redDistance = async (file: string): Promise<number> =>
  colorDistance((await colorsAt(file, [[0.5, 0.5]]))[0]!, red);

const tagsOf = ({ color_primaries, color_transfer, color_space, color_range }: ShownStream) =>
  [color_primaries, color_transfer, color_space, color_range].join(' ');

const hd = 'bt709 bt709 bt709 tv';
const sd = 'bt470bg smpte170m bt470bg tv';

test.each<[string, string, string[], string]>([
  ['HD in H.264', '1280x128', ['a.mp4', ...inMatrix('bt709')], hd],
  ['SD in H.264', '640x128', ['b.mp4', ...inMatrix('bt601')], sd],
  ['HD in an animated GIF', '1280x128', ['c.gif'], hd],
])(
  '%s without colour tags has the same red in every rung and in the poster',
  async (_, size, [name, ...args], tags) => {
    const source = files.path(name!);
    await ffmpeg(...flat(size), ...args, source);
    const { plan, video } = await runPlan(files.store, source, query);
    expect(plan.decisions?.map(({ code }) => code)).toContain('color_assumed');
    expect(video.size).toBe(2);
    for (const [rung, parts] of video) {
      const joined = files.path(`${rung}.mp4`);
      await joinTrack(files.store, parts, joined);
      expect(tagsOf((await streamsOf(joined))[0]!)).toBe(tags);
      expect(await redDistance(joined)).toBeLessThanOrEqual(roundings);
    }
    const poster = files.path('poster.jpg');
    await writeFile(poster, files.store.objects.get('poster.jpg')!);
    expect(await redDistance(poster)).toBeLessThanOrEqual(roundings);
  },
);
