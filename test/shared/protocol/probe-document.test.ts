import { describe, expect, test } from 'vitest';
import { probeDocumentSchema, sourceMetaSchema } from '../../../shared/protocol/probe-document.ts';

const format = { format_name: 'mov' };
const stream = (fields: object) => probeDocumentSchema.parse({ format, streams: [{ index: 0, ...fields }] }).streams[0];

describe('the ffprobe document', () => {
  test.each([
    ['width', 2 ** 31],
    ['width', 1.5],
    ['height', -(2 ** 63)],
    ['level', 2 ** 60],
    ['channels', 'many'],
    ['codec_name', 'x'.repeat(257)],
    ['bit_rate', 128_000],
    ['disposition', { default: 7 }],
    ['disposition', { ['d'.repeat(33)]: 1 }],
    ['tags', { language: ['de'] }],
  ])('is read without a %s of %j', (name, value) => {
    const read = stream({ [name]: value });
    expect(JSON.stringify(read)).not.toContain(JSON.stringify(value));
    expect(read).toMatchObject({ index: 0 });
  });

  test.each([-(2 ** 63), 361, Number.MAX_VALUE, '90'])('has no rotation of %j degrees', (rotation) => {
    const read = stream({ side_data_list: [{ side_data_type: 'Display Matrix', rotation }] });
    expect(read?.side_data_list).toEqual([{ side_data_type: 'Display Matrix' }]);
  });

  test('keeps what is within bounds', () => {
    const fields = { width: 8192, level: -99, codec_name: 'h264', disposition: { default: 1, attached_pic: 0 } };
    const turned = { side_data_list: [{ side_data_type: 'Display Matrix', rotation: -90 }] };
    expect(stream({ ...fields, ...turned })).toEqual({ index: 0, ...fields, ...turned });
  });

  test('is refused with too many streams or without a format', () => {
    const streams = Array.from({ length: 1001 }, (_, index) => ({ index }));
    expect(probeDocumentSchema.safeParse({ format, streams }).success).toBe(false);
    expect(probeDocumentSchema.safeParse({ streams: [] }).success).toBe(false);
  });
});

test('the stored part of a document is at most 32 KiB', () => {
  const streams = (count: number) => Array.from({ length: count }, (_, index) => ({ index, profile: 'ü'.repeat(250) }));
  expect(sourceMetaSchema.safeParse({ format, streams: streams(20) }).success).toBe(true);
  expect(sourceMetaSchema.safeParse({ format, streams: streams(70) }).success).toBe(false);
});
