import { expect, test } from 'vitest';
import { readCodecString } from '../../../encoder-task/isobmff/codec-string.ts';
import { box, fullBox, uint16, uint32 } from '../../../encoder-task/isobmff/write-box.ts';

type Codes = [primaries: number, transfer: number, matrix: number];

const colr = ([primaries, transfer, matrix]: Codes, isFullRange: boolean): Buffer =>
  box('colr', Buffer.from('nclx'), ...[primaries, transfer, matrix].map(uint16), Buffer.from([isFullRange ? 0x80 : 0]));

function moovOf(type: string, ...boxes: Buffer[]): Buffer {
  const stsd = fullBox('stsd', 0, uint32(1), box(type, Buffer.alloc(78), ...boxes));
  return box('trak', box('mdia', box('minf', box('stbl', stsd))));
}

const av1 = (codes: Codes, isFullRange = false): string =>
  readCodecString(moovOf('av01', box('av1C', Buffer.from([0x81, 0x04, 0x0d, 0])), colr(codes, isFullRange)));

const vp9 = ([primaries, transfer, matrix]: Codes, isFullRange = false): string => {
  const flags = 0x80 | (isFullRange ? 1 : 0);
  return readCodecString(
    moovOf('vp09', fullBox('vpcC', 0, Buffer.from([0, 31, flags, primaries, transfer, matrix, 0, 0]))),
  );
};

const bt709: Codes = [1, 1, 1];
const bt601: Codes = [6, 6, 6];

test('codec strings of BT.709 have the short form, which implies it', () => {
  expect([av1(bt709), vp9(bt709)]).toEqual(['av01.0.04M.08', 'vp09.00.31.08']);
});

test('other colours are in the codec string, since players read what the short form implies', () => {
  expect([av1(bt601), vp9(bt601)]).toEqual(['av01.0.04M.08.0.111.06.06.06.0', 'vp09.00.31.08.00.06.06.06.00']);
  expect([av1(bt709, true), vp9(bt709, true)]).toEqual([
    'av01.0.04M.08.0.111.01.01.01.1',
    'vp09.00.31.08.00.01.01.01.01',
  ]);
});

test('a track without colours has the short form', () => {
  expect(readCodecString(moovOf('av01', box('av1C', Buffer.from([0x81, 0x04, 0x0d, 0]))))).toBe('av01.0.04M.08');
});
