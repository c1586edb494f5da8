import { expect, test } from 'vitest';
import { readAvcTrack } from '../../../encoder-task/copy/avc-track.ts';
import { NotCopyable } from '../../../encoder-task/copy/not-copyable.ts';
import { readCodecString } from '../../../encoder-task/isobmff/codec-string.ts';
import { configuration, moovOf, picture, pictureOfOther, sequences } from '../support/clips/avc-movie.ts';
import { patched, renamed, withNumber } from '../support/clips/patch.ts';

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

function obstacleOf(moov: Buffer): string | null {
  try {
    readAvcTrack(moov, 0);
    return null;
  } catch (error) {
    if (error instanceof NotCopyable) return error.obstacle;
    throw error;
  }
}

test.each(['high', 'main', 'constrainedBaseline'] as const)('%s is copied, as it is described', (profile) => {
  const avcC = configuration({ sequence: [sequences[profile]] });
  const track = readAvcTrack(moovOf(avcC), 0);
  const end = profile === 'high' ? [0xfd, 0xf8, 0xf8, 0] : [];
  expect(track.avcC).toEqual(Buffer.concat([avcC, Buffer.from(end)]));
  expect(track).toMatchObject({ lengthBytes: 4, sequence: { width: 320, height: 180 }, pictureSets: new Set([0]) });
});

test.each<[what: string, head: number[]]>([
  ['another profile and level', [1, 0xff, 0xff, 0xff, 0xff]],
  ['another version', [9, 0x64, 0, 0x1e, 0x03]],
])('players get the profile and level of the bitstream from a file that declares %s', (_, head) => {
  const { avcC, colr } = readAvcTrack(moovOf(configuration({}, head)), 0);
  expect(readCodecString(moovOf(avcC, colr))).toBe('avc1.64001e');
  expect(avcC).toEqual(readAvcTrack(moovOf(configuration()), 0).avcC);
});

test('the colours of MP4 and QuickTime are kept, without range in QuickTime', () => {
  const codePoints = bytesOf('000900100009');
  const colr = (type: string, more = '') => Buffer.concat([Buffer.from(type), codePoints, bytesOf(more)]);
  const read = (box: Buffer) => readAvcTrack(moovOf(configuration(), box), 0).colr;
  expect(read(colr('nclx', '80'))).toEqual(colr('nclx', '80'));
  expect(read(colr('nclc'))).toEqual(colr('nclx', '00'));
  expect(read(colr('prof'))).toBeUndefined();
  expect(read(Buffer.from('nclx'))).toBeUndefined();
});

const good = moovOf(configuration());

test.each<[obstacle: string, what: string, moov: Buffer]>([
  ['profile', 'baseline with its own tools', moovOf(configuration({ sequence: [sequences.baseline] }))],
  ['profile', '4:4:4', moovOf(configuration({ sequence: [sequences['4:4:4']] }))],
  ['profile', '10 bits', moovOf(configuration({ sequence: [sequences['10 bits']] }))],
  ['interlaced', 'fields', moovOf(configuration({ sequence: [sequences.interlaced] }))],
  ['parameters', 'no sequence', moovOf(configuration({ sequence: [] }))],
  ['parameters', 'two sequences', moovOf(configuration({ sequence: [sequences.high, sequences.main] }))],
  ['parameters', 'no picture parameter set', moovOf(configuration({ picture: [] }))],
  ['parameters', 'pictures of another sequence', moovOf(configuration({ picture: [pictureOfOther] }))],
  ['parameters', 'a picture parameter set as sequence', moovOf(configuration({ sequence: [picture] }))],
  ['parameters', 'a start code in a set', moovOf(configuration({ picture: [bytesOf('68ee0000013880')] }))],
  ['sample-entry', 'a sequence that is cut off', moovOf(configuration({ sequence: [bytesOf('6764001e')] }))],
  ['sample-entry', 'an endless number in a set', moovOf(configuration({ sequence: [bytesOf('6764001e000003')] }))],
  ['sample-entry', 'sets that are longer than the box', moovOf(configuration().subarray(0, -2))],
  ['sample-entry', 'an empty configuration', moovOf(Buffer.alloc(0))],
  ['sample-entry', 'lengths of three bytes', moovOf(configuration({}, [1, 0x64, 0, 0x1e, 0xfe]))],
  ['sample-entry', 'cropping by the container', renamed(good, { pasp: 'clap' })],
  ['sample-entry', 'encryption', renamed(good, { pasp: 'sinf' })],
  ['sample-entry', 'parameter sets in the samples', renamed(good, { avc1: 'avc3' })],
  ['sample-entry', 'no configuration', renamed(good, { avcC: 'btrt' })],
  ['transform', 'frames that are upside down', withNumber(good, 'tkhd', 40 + 16, 0xffff_0000)],
  ['transform', 'a mirrored movie', withNumber(good, 'mvhd', 36, 0xffff_0000)],
  ['transform', 'sheared frames', withNumber(good, 'tkhd', 40 + 4, 0x8000)],
  ['transform', 'frames of another shape', withNumber(good, 'tkhd', 40, 0x2_0000)],
  [
    'transform',
    'an empty matrix',
    patched(good, (moov) => void moov.fill(0, at(moov, 'tkhd') + 40, at(moov, 'tkhd') + 76)),
  ],
])('%s: %s', (obstacle, _, moov) => {
  expect(obstacleOf(moov)).toBe(obstacle);
});

function at(moov: Buffer, type: string): number {
  return moov.indexOf(type, 0, 'latin1') + 4;
}

test('a position changes nothing', () => {
  expect(obstacleOf(withNumber(good, 'tkhd', 40 + 24, 0x10_0000))).toBeNull();
});
