import type { Billed } from 'embedded-aws';
import { expect, test } from 'vitest';
import { compareUse, useTable } from '../../../tools/cost/compare-use.ts';
import type { MeasuredRun } from '../../../tools/cost/measure-run.ts';

const uses = (given: Partial<Record<Billed, Record<string, number>>>) =>
  new Map(Object.entries(given).map(([billed, sources]) => [billed as Billed, new Map(Object.entries(sources))]));

const run: MeasuredRun = {
  taskSeconds: 200,
  video: uses({
    'state transitions': { Probe: 1, Plan: 1 },
    'API requests': { 'ANY /api/workers/sync': 90, 'ANY /api/templates': 1 },
    'store writes': { 'videos/': 100, 'logs/': 18 },
  }),
  playback: uses({
    'edge requests': { '/s/*': 8, '/s/*.m3u8': 2, '/api/*': 1 },
    'edge function runs': { 'video-viewer-request': 10, 'video-viewer-response': 8, 'video-viewer-address': 1 },
  }),
  playbackChanges: uses({ 'key value store requests': { UpdateKeys: 5, DeleteKey: 1 } }),
  scheduled: [
    { minutes: 1, uses: uses({ 'table read units': { reap: 20 } }) },
    { minutes: 15, uses: uses({ 'table read units': { sweep: 4 }, 'store writes': { '': 6 } }) },
  ],
};
const rows = compareUse(run);
const measured = (use: string): number => rows.find((row) => row.use === use)!.measured;

test('a run is compared use by use with what the model has', () => {
  expect(measured('video: state transitions')).toBe(2);
  // Not what the uploader calls, and not the logs of calls that pass the edge on one machine only.
  expect(measured('video: API requests of workers')).toBe(90);
  expect(measured('video: writes of the store')).toBe(100);
  expect(measured('delivered file: runs of functions')).toBe(1.8);
  expect(measured('change of playback: key value store requests')).toBe(3);
  // The first function runs fifteen times while the second runs once.
  expect(measured('idle run: table read units')).toBe((15 * 20 + 4) / 16);
  expect(measured('idle quarter of an hour: lists of the bucket')).toBe(6);
  for (const { model } of rows) expect(model).toBeGreaterThan(0);
});

test('the table has the ratio of each use', () => {
  const [row] = rows;
  expect(useTable([{ ...row!, model: 40, measured: 44 }])).toBe(
    '| use | model | measured | ratio |\n|---|---:|---:|---:|\n| video: state transitions | 40 | 44 | 1.10 |',
  );
});
