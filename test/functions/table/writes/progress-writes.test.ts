import { expect, test } from 'vitest';
import { addProgress, durationName, durationsIn } from '../../../../functions/table/writes/progress-writes.ts';

const video = { ulid: '01M82PM4BKY55R7SJ64P1J7P6E', planNumber: 1 };

test('durations of finished jobs are counted with the progress, at most a tenth too long', () => {
  const item: Record<string, unknown> = { done: { v0: 1 }, changedAt: 'x' };
  const took = [0.4, 1, 12, 12.1, 400];
  for (const tookSeconds of took) {
    const name = durationName({ kind: 'encode-video', tookSeconds });
    item[name] = Number(item[name] ?? 0) + 1;
  }
  item[durationName({ kind: 'encode-audio', tookSeconds: 5 })] = 1;
  const found = durationsIn(item, 'encode-video').toSorted((a, b) => a - b);
  expect(found).toHaveLength(took.length);
  for (const [position, tookSeconds] of took.entries()) {
    expect(found[position]).toBeGreaterThanOrEqual(tookSeconds - 1e-9);
    expect(found[position]).toBeLessThanOrEqual(Math.max(1, tookSeconds * 1.1) + 1e-9);
  }
});

test('the end of a job that adds no more units is counted, in one write', () => {
  expect(addProgress(video, 'v0', 0)).toEqual([]);
  expect(addProgress(video, undefined, 1, { kind: 'probe', tookSeconds: 1 })).toEqual([]);
  expect(addProgress(video, 'v0', 0, { kind: 'encode-video', tookSeconds: 1 })).toMatchObject([
    { add: { 'done.v0': 0, 'took_encode-video_0': 1 } },
  ]);
});
