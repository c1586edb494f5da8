import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { neededMib } from '../../../functions/queue/node-memory.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { evenIndex, probeOf, videoTrack } from '../planning/source-fixture.ts';

const rungs = (codec: VideoCodec, ...heights: number[]) =>
  heights.map((height) => ({ codec, height, width: Math.round((height * 16) / 9) }));

const hd = { displayWidth: 1920, displayHeight: 1080 };
const uhd = { displayWidth: 3840, displayHeight: 2160 };

test('ladders of 1080p fit containers of the smallest size, those of 2160p the 2,000 MiB of the requirements', () => {
  expect(neededMib(rungs('h264', 720, 540, 480, 240), hd)).toBeLessThanOrEqual(900);
  expect(neededMib(rungs('h264', 1080, 720, 540, 480, 240), hd)).toBeLessThanOrEqual(900);
  expect(neededMib(rungs('h264', 1080, 720, 540, 480, 240), uhd)).toBeLessThanOrEqual(900);
  expect(neededMib(rungs('h264', 2160, 1080, 720, 480, 240), uhd)).toBeLessThanOrEqual(2000);
});

// MiB of a worker and its ffmpeg 7.1; 40 of the worker are added where ffmpeg alone was measured.
test.each([
  ['h264', hd, [1080, 720, 540, 480, 240], 712],
  ['h264', uhd, [1080, 720, 540, 480, 240], 796],
  ['h264', uhd, [1080, 720, 480, 240], 796 + 40],
  ['h264', uhd, [2160, 1080, 720, 480, 240], 1873 + 40],
  ['vp9', hd, [1080, 720, 480, 240], 735 + 40],
  ['vp9', uhd, [1080, 720, 480, 240], 930 + 40],
  ['vp9', uhd, [2160, 1080, 720, 480, 240], 2018 + 40],
  ['hevc', hd, [1080, 720, 540, 480, 240], 1090 + 40],
  ['hevc', uhd, [2160, 1080, 720, 480, 240], 2621 + 40],
  ['av1', hd, [1080, 720, 480, 240], 1407 + 40],
  ['av1', uhd, [1080, 720, 480, 240], 1586 + 40],
  ['av1', uhd, [2160, 1080, 720, 480, 240], 3846 + 40],
] as const)('a chunk in %s of a source of %j with %j lines needs at least the measured %i MiB', (...row) => {
  const [codec, source, heights, measuredMib] = row;
  const needed = neededMib(rungs(codec, ...heights), source);
  expect(needed).toBeGreaterThanOrEqual(measuredMib);
  expect(needed).toBeLessThan(measuredMib * 1.3);
});

test('docs/nodes.md has what ladders of six renditions need', async () => {
  const page = await readFile('docs/nodes.md', 'utf8');
  const rows = [...page.matchAll(/^\| (\d+)p of a source of (\d+)p \| (.*) \|$/gm)];
  expect(rows).toHaveLength(3);
  for (const [, largest, height, cells = ''] of rows) {
    const size = { width: (Number(height) * 16) / 9, height: Number(height) };
    const video = videoTrack({ frameCount: 60, ...size });
    const needs = (['h264', 'vp9', 'hevc', 'av1'] as const).map((codec) => {
      const ladder = { codec, max_height: Number(largest), max_renditions: 6 };
      const query = templateQuerySchema.parse({ version: 1, ladder, outputs: [{ format: 'hls' }] });
      const probe = probeOf({ video });
      const { groups, source } = planVideo({ probe, frames: evenIndex(video), query, capacity: 4 });
      return Math.max(...groups.map((group) => neededMib(group.rungs, source!)));
    });
    expect(cells.split(' | ').map((cell) => Number(cell.replace(',', '')))).toEqual(needs);
  }
});

test('rungs of several codecs need the memory of each', () => {
  const mixed = neededMib([...rungs('av1', 1080), ...rungs('h264', 1440)], hd);
  expect(mixed).toBeGreaterThan(neededMib(rungs('h264', 1080, 1440), hd));
  expect(mixed).toBeLessThan(neededMib(rungs('av1', 1080, 1440), hd));
});
