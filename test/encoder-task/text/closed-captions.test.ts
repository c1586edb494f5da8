import { expect, test } from 'vitest';
import { hasClosedCaptions } from '../../../encoder-task/text/closed-captions.ts';

test('closed captions are in the side data of a frame', () => {
  const frame = (...types: string[]) => ({ side_data_list: types.map((side_data_type) => ({ side_data_type })) });
  expect(hasClosedCaptions({ frames: [{}, frame('AVPanScan', 'ATSC A53 Part 4 Closed Captions')] })).toBe(true);
  expect(hasClosedCaptions({ frames: [{}, frame('AVPanScan')] })).toBe(false);
  expect(hasClosedCaptions({})).toBe(false);
});
