import { expect, test } from 'vitest';
import { readHdr10 } from '../../../../encoder-task/probe/picture/hdr10.ts';

const screen = {
  side_data_type: 'Mastering display metadata',
  red_x: '34000/50000',
  red_y: '16000/50000',
  green_x: '13250/50000',
  green_y: '34500/50000',
  blue_x: '7500/50000',
  blue_y: '3000/50000',
  white_point_x: '15635/50000',
  white_point_y: '16450/50000',
  min_luminance: '1/10000',
  max_luminance: '1000/1',
};
const light = { side_data_type: 'Content light level metadata', max_content: 1000, max_average: 400 };
const parsedScreen = {
  red: [34_000, 16_000],
  green: [13_250, 34_500],
  blue: [7500, 3000],
  white: [15_635, 16_450],
  maxLuminance: 10_000_000,
  minLuminance: 1,
};
const parsedLight = { maxContent: 1000, maxFrameAverage: 400 };
const frame = (...side_data_list: object[]) => ({ frames: [{ side_data_list }] });

test('screen and light have the units of the bitstream', () => {
  expect(readHdr10(frame({ side_data_type: 'H.26[45] User Data' }, screen, light))).toEqual({
    screen: parsedScreen,
    light: parsedLight,
  });
});

test('the bitstream has priority over the container, for each part', () => {
  const document = { ...frame(light), streams: [{ side_data_list: [screen, { ...light, max_content: 1 }] }] };
  expect(readHdr10(document)).toEqual({ screen: parsedScreen, light: parsedLight });
});

test.each([
  ['nothing', {}],
  ['no side data', { frames: [{}], streams: [] }],
  ['a list of another type', { frames: 'many' }],
  ['an incomplete screen', frame({ ...screen, red_x: undefined })],
  ['a division by zero', frame({ ...screen, max_luminance: '1000/0' })],
  ['a chromaticity out of range', frame({ ...screen, red_x: '99999999/1' })],
  ['light without values', frame({ ...light, max_content: 0, max_average: 0 })],
  ['light out of range', frame({ ...light, max_content: 70_000 })],
  ['text', frame({ ...screen, red_x: '1:min-keyint=1/1' })],
])('%s is no HDR10', (_, document) => {
  expect(readHdr10(document)).toBeNull();
});
