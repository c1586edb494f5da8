import { expect, test } from 'vitest';
import { renderRows, uploadNote } from '../../../../client/cli/output/progress-rows.ts';

const row = (label: string, share = 0.5) => ({ label, share, note: 'running' });

test('bars are aligned and have a percentage and a note', () => {
  expect(renderRows([row('a.mp4', 0.25), row('long.mp4', 1)], 80, 10)).toEqual([
    `a.mp4    ${'█'.repeat(6)}${'░'.repeat(18)}  25%  running`,
    `long.mp4 ${'█'.repeat(24)} 100%  running`,
  ]);
});

test('a line is narrower than the terminal, and a long name keeps its end', () => {
  const [line] = renderRows([row(`${'x'.repeat(60)}-1.mp4`)], 60, 10);
  expect(line).toMatch(/^…x+-1\.mp4 █/);
  expect([...line!]).toHaveLength(59);
});

test('bars that have no room are counted', () => {
  expect(renderRows([row('a'), row('b'), row('c')], 80, 2)).toEqual([expect.stringMatching(/^a /), '… and 2 more']);
});

test('a name cannot control the terminal', () => {
  expect(renderRows([row('\x1b[2Ja\u202e.mp4')], 80, 10)[0]).toMatch(/^�\[2Ja�\.mp4 /);
});

test('the note of an upload has its speed and the time left', () => {
  expect(uploadNote({ sentBytes: 20_000_000, leftBytes: 100_000_000, tookMs: 2000 })).toBe('10.0 MB/s, 0:10 left');
  expect(uploadNote({ sentBytes: 0, leftBytes: 1, tookMs: 2000 })).toBe('uploading');
});
