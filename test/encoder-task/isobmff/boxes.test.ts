import { expect, test } from 'vitest';
import { findBox, needBox, readBoxes, visualEntryBoxes } from '../../../encoder-task/isobmff/boxes.ts';

const box = (type: string, payload: Buffer): Buffer => {
  const header = Buffer.alloc(8, type.padStart(8));
  header.writeUInt32BE(8 + payload.length);
  return Buffer.concat([header, payload]);
};

test('boxes are consecutive and nested', () => {
  const file = Buffer.concat([box('ftyp', Buffer.from('isom')), box('moov', box('trak', Buffer.from('hello')))]);
  expect(readBoxes(file).map(({ type }) => type)).toEqual(['ftyp', 'moov']);
  expect(findBox(file, 'moov', 'trak')?.toString()).toBe('hello');
  expect(findBox(file, 'moov', 'edts')).toBeUndefined();
  expect(() => needBox(file, 'moov', 'edts')).toThrow('no moov/edts box');
});

test('a 64-bit size and a size up to the end are read', () => {
  const large = Buffer.concat([Buffer.from('\0\0\0\x01mdat\0\0\0\0\0\0\0\x12', 'latin1'), Buffer.from('ab')]);
  expect(readBoxes(large)).toEqual([{ type: 'mdat', payload: Buffer.from('ab') }]);
  expect(readBoxes(Buffer.from('\0\0\0\0mdatrest', 'latin1'))[0]?.payload.toString()).toBe('rest');
});

test('a box that is cut off throws', () => {
  const whole = box('moof', Buffer.alloc(20));
  expect(() => readBoxes(whole.subarray(0, 20))).toThrow('box moof is cut off at byte 0');
  expect(() => readBoxes(whole.subarray(0, 5))).toThrow('header is cut off');
  expect(() => readBoxes(Buffer.from('\0\0\0\x04moof', 'latin1'))).toThrow(RangeError);
});

test('four zero bytes that end a sample entry of QuickTime are no box, and those that end its last box belong to it', () => {
  const fields = Buffer.alloc(78);
  const boxes = Buffer.concat([box('avcC', Buffer.from('ab')), box('sv3d', Buffer.alloc(16))]);
  const entryOf = (...content: Buffer[]) => ({ type: 'avc1', payload: Buffer.concat([fields, ...content]) });
  expect(visualEntryBoxes(entryOf(boxes))).toEqual(boxes);
  expect(visualEntryBoxes(entryOf(boxes, Buffer.alloc(4)))).toEqual(boxes);
  expect(visualEntryBoxes(entryOf(Buffer.alloc(4)))).toHaveLength(0);
});
