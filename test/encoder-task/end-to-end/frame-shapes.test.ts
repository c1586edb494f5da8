import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg, packetsOf } from '../support/ffmpeg.ts';
import { joinTrack, probeFile } from '../support/run-jobs.ts';
import { type Made, runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

type Part = { size: string; seconds: number /** pixel aspect ratio */; sar?: string };

const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 360, preset: 'ultrafast', crf: 20 }],
  outputs: [{ format: 'hls' }],
  thumbnails: { poster: { at: '0s', width: 320 }, sprite: { interval: 1, width: 64, columns: 10, rows: 1 } },
};

/** A white square, as displayed, in the middle of blue frames: a third of their height. */
function square({ size, seconds, sar = '1/1' }: Part): string[] {
  const [width, height] = size.split('x').map(Number) as [number, number];
  const [num, den] = sar.split('/').map(Number) as [number, number];
  const [w, h] = [Math.round(((height / 3) * den) / num), Math.round(height / 3)];
  const box = `drawbox=x=${Math.round((width - w) / 2)}:y=${Math.round((height - h) / 2)}:w=${w}:h=${h}:color=white:t=fill`;
  return ['-f', 'lavfi', '-i', `color=blue:s=${size}:r=25:d=${seconds},setsar=${sar},${box}`];
}

/** Parts of 25 frames per second one after the other, as one elementary stream in the container of `file`. */
async function makeChanging(file: string, parts: Part[], gopFrames = 13): Promise<string> {
  const bytes: Buffer[] = [];
  const stream = `${file}.h264`;
  for (const part of parts) {
    await ffmpeg(...square(part), ...h264, '-g', String(gopFrames), '-bf', '0', stream);
    bytes.push(await readFile(stream));
  }
  await writeFile(stream, Buffer.concat(bytes));
  await ffmpeg('-r', '25', '-i', stream, '-c', 'copy', file);
  return file;
}

type Seen = { white: [width: number, height: number]; bars: [width: number, height: number] };

/** Size of the white square and of the black bars in each frame, in pixels, from the row and column in the middle. */
async function seenIn(file: string, width: number, height: number): Promise<Seen[]> {
  const args = ['-v', 'error', '-i', file, '-vf', `scale=${width}:${height},format=rgb24`, '-fps_mode', 'passthrough'];
  const run = promisify(execFile);
  const { stdout } = await run('ffmpeg', [...args, '-f', 'rawvideo', '-'], { encoding: 'buffer', maxBuffer: 1e9 });
  const frameBytes = width * height * 3;
  return Array.from({ length: stdout.length / frameBytes }, (_, n) => {
    const pixel = (x: number, y: number) => [...stdout.subarray(n * frameBytes + (y * width + x) * 3).subarray(0, 3)];
    const row = Array.from({ length: width }, (_, x) => pixel(x, height / 2));
    const column = Array.from({ length: height }, (_, y) => pixel(width / 2, y));
    const count = (line: number[][], is: (color: number[]) => boolean) => line.filter(is).length;
    const isWhite = (color: number[]) => Math.min(...color) > 128;
    const isBlack = (color: number[]) => Math.max(...color) < 100;
    return {
      white: [count(row, isWhite), count(column, isWhite)],
      bars: [count(row, isBlack), count(column, isBlack)],
    };
  });
}

async function shown({ video }: Made, width: number, height: number): Promise<Seen[]> {
  const joined = files.path('joined.mp4');
  await joinTrack(files.store, video.get('v')!, joined);
  return seenIn(joined, width, height);
}

const near = (value: number, other: number) => expect(Math.abs(value - other)).toBeLessThanOrEqual(4);

/** Every frame has a square as high as a third of its picture. */
function expectSquares(seen: Seen[]): void {
  for (const { white, bars } of seen) {
    near(white[0], white[1]);
    near(white[1], (360 - bars[1]) / 3);
  }
}

test('an MP4 of recordings that were joined without encoding has the size of the larger one', async () => {
  const parts = [
    { size: '320x180', seconds: 1 },
    { size: '640x360', seconds: 1 },
  ];
  const made = await runPlan(files.store, await makeChanging(files.path('joined-copy.mp4'), parts), query);
  expect(made.plan.streams).toMatchObject([{ width: 640, height: 360 }]);
  expectSquares(await shown(made, 640, 360));
});

test.each(['mkv', 'ts'])(
  'a change at the last key frame of a %s is found, many frames after the one before',
  async (name) => {
    const parts = [
      { size: '320x180', seconds: 4 },
      { size: '480x270', seconds: 3 },
    ];
    const source = await makeChanging(files.path(`late.${name}`), parts, 250);
    expect((await probeFile(files.store, source)).video).toMatchObject({ width: 480, height: 270 });
  },
);

describe('a source whose frames change their shape keeps it in every frame', () => {
  test('a call that grows has the large frame, and the small ones fill it', async () => {
    const parts = [
      { size: '320x180', seconds: 0.6 },
      { size: '640x360', seconds: 2 },
    ];
    const made = await runPlan(files.store, await makeChanging(files.path('grows.mkv'), parts), query);
    expect(made.plan.streams).toMatchObject([{ width: 640, height: 360 }]);
    expect(made.plan.decisions).toContainEqual(
      expect.objectContaining({
        code: 'frame_size_chosen',
        message:
          'The frame size changes. The video has 640 × 360 pixels, as 77 % of the source; other frames are fitted into them.',
        facts: { size: '640 × 360', sizes: ['640 × 360', '320 × 180'], shares: [0.769, 0.231] },
      }),
    );
    const seen = await shown(made, 640, 360);
    expect(seen).toHaveLength(65);
    expectSquares(seen);
    expect(seen.every(({ bars }) => bars[0] === 0 && bars[1] === 0)).toBe(true);
  });

  test('a broadcast that changes to 16:9 has it, with bars beside the 4:3 before', async () => {
    const parts = [
      { size: '480x360', seconds: 0.6, sar: '1/1' },
      { size: '480x360', seconds: 1.4, sar: '4/3' },
    ];
    const made = await runPlan(files.store, await makeChanging(files.path('wide.ts'), parts), query);
    expect(made.plan.streams).toMatchObject([{ width: 640, height: 360 }]);
    const seen = await shown(made, 640, 360);
    expectSquares(seen);
    for (const { bars } of seen.slice(0, 15)) near(bars[0], 160);
    for (const { bars } of seen.slice(15)) near(bars[0], 0);
  });

  test('a phone that is turned shows upright frames between bars, also in the images', async () => {
    const parts = [
      { size: '180x320', seconds: 0.8 },
      { size: '640x360', seconds: 1.6 },
    ];
    const source = await makeChanging(files.path('turned.mkv'), parts);
    const made = await runPlan(files.store, source, query);
    const seen = await shown(made, 640, 360);
    expectSquares(seen);
    near(seen[0]!.bars[0], 640 - 202);
    expect(seen.at(-1)!.bars).toEqual([0, 0]);
    const poster = files.path('poster.jpg');
    await writeFile(poster, files.store.objects.get('poster.jpg')!);
    const [image] = await seenIn(poster, 320, 180);
    near(image!.white[0], image!.white[1]);
    near(image!.bars[0], 320 - 101);
  });

  test('the size that lasts longest is chosen, unless a larger one lasts half as long', async () => {
    const [small, large] = [{ size: '160x90' }, { size: '320x180' }];
    for (const [seconds, height] of [
      [1, 180],
      [0.5, 90],
    ] as const) {
      const parts = [
        { ...small, seconds: 1.6 },
        { ...large, seconds },
      ];
      const source = await makeChanging(files.path(`shares-${seconds}.mkv`), parts);
      const { plan } = await runPlan(files.store, source, {
        ...query,
        video: [],
        audio: [],
        outputs: query.outputs,
        ladder: { codec: 'h264', preset: 'ultrafast' },
      });
      expect(plan.streams[0]).toMatchObject({ height });
    }
  });

  test('one size needs no decision and no filter', async () => {
    const parts = [
      { size: '320x180', seconds: 0.6 },
      { size: '320x180', seconds: 0.6 },
    ];
    const source = await makeChanging(files.path('same.ts'), parts);
    const { plan, probed } = await runPlan(files.store, source, {
      ...query,
      video: [{ ...query.video[0], height: 90 }],
    });
    expect(probed.video).not.toHaveProperty('pixelAspects');
    expect(plan.decisions?.map(({ code }) => code)).toEqual(['color_assumed']);
    expect((await packetsOf(source)).length).toBe(30);
  });
});
