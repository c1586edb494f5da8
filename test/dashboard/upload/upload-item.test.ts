import { expect, test } from 'vitest';
import {
  bytesPerSecond,
  createItem,
  isOpen,
  secondsLeft,
  startable,
  type UploadState,
  withInterruption,
  withProgress,
} from '../../../dashboard/upload/upload-item.ts';

const item = (state: UploadState) => ({
  ...createItem(new File([new Uint8Array(1000)], 'a.mp4'), { template: 'T' }),
  state,
});

test('the speed is that of the last ten seconds', () => {
  const slow = withProgress(item('uploading'), 0, 0);
  const later = [20_000, 21_000, 22_000].reduce((item, at, index) => withProgress(item, 400 + index * 100, at), slow);
  expect(bytesPerSecond(later)).toBe(100);
  expect(secondsLeft(later)).toBe(4);
});

test('nothing is said about the speed before it is known or while nothing is sent', () => {
  expect(bytesPerSecond(withProgress(item('uploading'), 10, 0))).toBeUndefined();
  const paused = withProgress(withProgress(item('paused'), 0, 0), 10, 2000);
  expect(secondsLeft(paused)).toBeUndefined();
});

test('the files that wait longest start when there is room', () => {
  const items = [item('uploading'), item('paused'), item('waiting'), item('waiting')];
  expect(startable(items, 2)).toEqual([items[2]]);
  expect(startable(items, 1)).toEqual([]);
});

test('uploads that can still send are open', () => {
  expect((['waiting', 'uploading', 'paused', 'interrupted'] as const).map((state) => isOpen(item(state)))).toEqual(
    Array(4).fill(true),
  );
  expect((['stored', 'failed'] as const).map((state) => isOpen(item(state)))).toEqual([false, false]);
});

test('an upload fails when the store has interrupted three attempts in a row that stored nothing', () => {
  let interrupted = item('uploading');
  const states = [0, 16, 16, 32, 32, 32].map((storedBytes) => {
    interrupted = withInterruption(interrupted, storedBytes);
    return interrupted.state;
  });
  expect(states).toEqual([...Array(5).fill('interrupted'), 'failed']);
  expect(interrupted.fault).toBe('unreachable');
});
