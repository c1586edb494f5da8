import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import {
  fillWithNoise,
  patched,
  placesOf,
  renamed,
  withNoise,
  withNumber,
  withPackets,
  withPayloads,
  withStreamTypes,
} from '../support/clips/patch.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();
/** The same video and audio in several containers, by file extension. */
const clips: Record<string, Buffer> = {};

beforeAll(async () => {
  const tracks = ['-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=25:d=0.4', '-f', 'lavfi', '-i', 'sine=d=0.4'];
  await ffmpeg(...tracks, ...h264, '-g', '5', '-c:a', 'aac', files.path('clip.mp4'));
  for (const ending of ['mkv', 'ts', 'm4a', 'asf']) {
    const kept = ending === 'm4a' ? ['-vn'] : [];
    await ffmpeg('-i', files.path('clip.mp4'), '-c', 'copy', ...kept, files.path(`clip.${ending}`));
  }
  await ffmpeg(...tracks, '-c:v', 'libvpx-vp9', '-c:a', 'libopus', files.path('clip.webm'));
  for (const ending of ['mp4', 'mkv', 'ts', 'm4a', 'asf', 'webm']) {
    clips[ending] = await readFile(files.path(`clip.${ending}`));
  }
});

async function probeBytes(bytes: Buffer): Promise<ProbeResult> {
  const file = files.path('upload');
  await writeFile(file, bytes);
  return probeFile(files.store, file);
}

type Rejection = [what: string, make: () => Buffer, code: string, words: RegExp];

async function expectRejection(make: () => Buffer, code: string, words: RegExp): Promise<void> {
  const started = probeBytes(make());
  await expect(started).rejects.toMatchObject({ code, fatal: true });
  await expect(started).rejects.toThrow(words);
}

describe('video that cannot be decoded is reported as damaged', () => {
  const exportAgain = 'is damaged and cannot be decoded. Export it again and upload the new file.';
  test.each<Rejection>([
    [
      'H.264 in MP4',
      () => withNoise(clips.mp4!),
      'INPUT_DAMAGED',
      new RegExp(`^The video \\(H\\.264\\) ${exportAgain}$`),
    ],
    ['H.264 without its parameters', () => withoutParameters(clips.mp4!), 'INPUT_DAMAGED', /^The video \(H\.264\)/],
    ['VP9', () => withoutSyncCodes(clips.webm!), 'INPUT_DAMAGED', /^The video \(VP9\)/],
    ['H.264 beside audio in a transport stream', () => withoutPictures(clips.ts!), 'INPUT_DAMAGED', /is damaged/],
    ['declared as MPEG-2', () => withStreamTypes(clips.ts!, { 27: 2 }), 'INPUT_DAMAGED', /^The video \(MPEG-2\)/],
    ['replaced by noise', () => withPayloads(clips.ts!, [256]), 'INPUT_DAMAGED', /^The file is damaged or/],
  ])('%s', (_, make, code, words) => expectRejection(make, code, words));
});

describe('a codec without a decoder is reported by name', () => {
  const vvc = /^The video codec VVC \(H\.266\) is not supported\. Upload the video as H\.264, HEVC, VP9 or AV1\.$/;
  test.each<Rejection>([
    ['VVC in MP4', () => renamed(clips.mp4!, { avc1: 'vvc1', avcC: 'vvcC' }), 'INPUT_UNSUPPORTED', vvc],
    ['VVC in MP4, with parameters in band', () => renamed(clips.mp4!, { avc1: 'vvi1' }), 'INPUT_UNSUPPORTED', vvc],
    ['VVC in Matroska', () => renamed(clips.mkv!, { 'V_MPEG4/ISO/AVC': 'V_MPEGI/ISO/VVC' }), 'INPUT_UNSUPPORTED', vvc],
    [
      'EVC beside audio in a transport stream',
      () => withPayloads(withStreamTypes(clips.ts!, { 27: 0x35 }), [256]),
      'INPUT_UNSUPPORTED',
      /^The video codec EVC is not supported\./,
    ],
    ['an unknown sample entry', () => renamed(clips.mp4!, { avc1: 'zzzz' }), 'INPUT_UNSUPPORTED', /codec zzzz is not/],
    [
      'a sample entry that is not printable',
      () => renamed(clips.mp4!, { avc1: '\n\x07"<' }),
      'INPUT_UNSUPPORTED',
      /codec is unknown/,
    ],
    [
      'AC-4 alone',
      () => renamed(clips.m4a!, { mp4a: 'ac-4', esds: 'dac4' }),
      'INPUT_UNSUPPORTED',
      /^The audio codec Dolby AC-4 is not supported\. Upload the audio as AAC, Opus, MP3 or FLAC\.$/,
    ],
  ])('%s', (_, make, code, words) => expectRejection(make, code, words));

  test('audio of a file with usable video is ignored with a warning', async () => {
    const probed = await probeBytes(renamed(clips.mp4!, { mp4a: 'ac-4', esds: 'dac4' }));
    expect(probed).toMatchObject({ video: { codec: 'h264' }, audio: [] });
    expect(probed.warnings).toEqual(['The audio codec Dolby AC-4 is not supported. Track 1 of the file is ignored.']);
  });
});

describe('an encrypted file is reported as encrypted', () => {
  const key = '00112233445566778899aabbccddeeff';
  const cenc = ['-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', key, '-encryption_kid', key];
  const words = /^The file is encrypted \(DRM\) and cannot be decoded\. Upload a copy without protection\.$/;

  test.each([
    ['video and audio', []],
    ['video only', ['-an']],
    ['audio only', ['-vn']],
    ['fragments', ['-movflags', '+frag_keyframe+empty_moov']],
  ])('by Common Encryption: %s', async (_, args) => {
    await ffmpeg('-i', files.path('clip.mp4'), '-c', 'copy', ...args, ...cenc, files.path('cenc.mp4'));
    const bytes = await readFile(files.path('cenc.mp4'));
    await expectRejection(() => bytes, 'INPUT_ENCRYPTED', words);
  });

  test.each<[string, () => Buffer]>([
    ['by FairPlay', () => renamed(clips.mp4!, { avc1: 'drmi', mp4a: 'drms' })],
    ['by FairPlay, audio only', () => renamed(clips.m4a!, { mp4a: 'drms' })],
    ['by SAMPLE-AES in a transport stream', () => withStreamTypes(clips.ts!, { 27: 0xdb, 15: 0xcf })],
    ['by SAMPLE-AES, audio only', () => withStreamTypes(clips.ts!, { 15: 0xcf })],
    ['by scrambling of a broadcast', () => scrambled(clips.ts!)],
    ['in Matroska', () => withEncryption(clips.mkv!)],
    ['in ASF', () => withAsfProtection(clips.asf!)],
  ])('%s', (_, make) => expectRejection(make, 'INPUT_ENCRYPTED', words));
});

describe('an index that declares more than the file has is an input error at the first attempt', () => {
  test.each<Rejection>([
    [
      'durations',
      () => withNumber(clips.mp4!, 'stts', 4, 0x1000_0000),
      'INPUT_DAMAGED',
      /^The file is damaged or incomplete and cannot be read\. Export .+\.$/,
    ],
    ['sizes', () => withNumber(clips.mp4!, 'stsz', 8, 0x0fff_ffff), 'INPUT_DAMAGED', /^The file is damaged/],
    ['chunks', () => withNumber(clips.mp4!, 'stsc', 4, 0x0fff_ffff), 'INPUT_DAMAGED', /^The file is damaged/],
  ])('of %s', (_, make, code, words) => expectRejection(make, code, words));

  test('of chunk offsets, unless ffmpeg reads those that are there', async () => {
    const outcome: unknown = await probeBytes(withNumber(clips.mp4!, 'stco', 4, 0x0fff_ffff)).catch((error) => error);
    expect(outcome).toMatchObject(
      outcome instanceof JobError
        ? { code: 'INPUT_DAMAGED', fatal: true, message: expect.stringMatching(/^The file is damaged/) }
        : { video: { frameCount: 10 }, warnings: [] },
    );
  });
});

describe('a frame size above the limit is rejected with both values', () => {
  test('GIF', async () => {
    const gif = files.path('small.gif');
    await ffmpeg('-f', 'lavfi', '-i', 'color=s=96x64:r=10:d=0.2', gif);
    const bytes = patched(await readFile(gif), (copy) => void copy.fill(Buffer.from([0x80, 0x3e]), 6, 10));
    const words = /^The video is 16000 × 16000 pixels; the maximum is 8192 × 4320\. Upload a smaller one\.$/;
    await expectRejection(() => bytes, 'INPUT_TOO_LARGE', words);
  });

  test.each(['mp4', 'mkv', 'ts'])('H.264 in %s', async (ending) => {
    const file = files.path(`large.${ending}`);
    const encoder = ['-frames:v', '1', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    await ffmpeg('-f', 'lavfi', '-i', 'color=s=8256x4320:r=1', ...encoder, file);
    const bytes = await readFile(file);
    await expectRejection(
      () => bytes,
      'INPUT_TOO_LARGE',
      /^The video is 8256 × 4320 pixels; the maximum is 8192 × 4320\./,
    );
  });
});

describe('Dolby Vision', () => {
  const advice =
    /^The video is Dolby Vision profile 5, whose .+ Export it as HDR10, HLG or SDR, or as Dolby Vision profile 8\.$/;

  test('without a compatible picture is rejected', () =>
    expectRejection(() => withDolbyVision(clips.mp4!, { profile: 5, compatibility: 0 }), 'INPUT_UNSUPPORTED', advice));

  test.each([
    { profile: 7, compatibility: 6 },
    { profile: 8, compatibility: 1 },
    { profile: 8, compatibility: 4 },
  ])('of profile $profile.$compatibility is accepted', async (kind) => {
    expect(await probeBytes(withDolbyVision(clips.mp4!, kind))).toMatchObject({
      video: { frameCount: 10 },
      warnings: [],
    });
  });
});

test.each(['heic', 'avif', 'mif1', 'crx '])('a picture of the brand %s is called one', async (brand) => {
  // the boxes of a video: with a track, ffmpeg would make a video of it
  const photo = renamed(clips.mp4!, { ftypisom: `ftyp${brand}` });
  await expectRejection(() => photo, 'INPUT_NOT_MEDIA', /^The file is a picture and not a video\. Upload an MP4/);
});

test('a sequence of pictures is a video', async () => {
  expect(await probeBytes(renamed(clips.mp4!, { vide: 'pict' }))).toMatchObject({ video: { frameCount: 10 } });
});

test.each(['jpg', 'png', 'tiff'])('a picture in a file .%s is called one', async (ending) => {
  const file = files.path(`photo.${ending}`);
  await ffmpeg('-f', 'lavfi', '-i', 'color=s=96x64', '-frames:v', '1', file);
  const photo = await readFile(file);
  await expectRejection(() => photo, 'INPUT_NOT_MEDIA', /^The file is a picture/);
});

/** Replaces the box of bitrates by a record with a base layer and without an enhancement layer. */
const withDolbyVision = (
  movie: Buffer,
  { profile, compatibility }: { profile: number; compatibility: number },
): Buffer =>
  patched(movie, (copy) => {
    const at = copy.indexOf('btrt', 0, 'latin1');
    copy.write('dvcC\x01\0', at, 'latin1');
    copy.writeUInt16BE((profile << 9) | (3 << 3) | 0b101, at + 6);
    copy.writeUInt32BE((compatibility << 28) >>> 0, at + 8);
  });

const withoutPictures = (stream: Buffer): Buffer =>
  withPayloads(stream, [256], (packet, start, end) => void packet.fill(0xff, start, end));

const withoutParameters = (movie: Buffer): Buffer =>
  patched(movie, (copy) => {
    const start = copy.indexOf('avcC', 0, 'latin1') + 4;
    copy.fill(0, start + 8, start + 30);
  });

const withoutSyncCodes = (webm: Buffer): Buffer =>
  patched(webm, (copy) => {
    for (const at of placesOf(copy, '\x49\x83\x42')) copy.fill(0, at, at + 3);
  });

const scrambled = (stream: Buffer): Buffer =>
  withPackets(stream, [256, 257], (packet) => {
    packet[3]! |= 0x80;
    fillWithNoise(packet, 4 + (packet[3]! & 0x20 ? 1 + packet[4]! : 0), packet.length);
  });

/** Adds ContentEncodings to the first track of a Matroska file. */
function withEncryption(matroska: Buffer): Buffer {
  const element = (id: string, ...content: Buffer[]): Buffer => {
    const payload = Buffer.concat(content);
    return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([0x80 | payload.length]), payload]);
  };
  const encodings = element('6d80', element('6240', element('5033', Buffer.from([1])), element('5035')));
  // SeekHead contains the id of the element first
  const tracks = matroska.indexOf('1654ae6b', matroska.indexOf('1654ae6b', 0, 'hex') + 4, 'hex') + 4;
  const entry = matroska.indexOf(0xae, tracks) + 1;
  const entryLength = matroska.readBigUInt64BE(entry);
  return patched(Buffer.concat([matroska.subarray(0, entry + 8), encodings, matroska.subarray(entry + 8)]), (copy) => {
    copy.writeUInt16BE(copy.readUInt16BE(tracks) + encodings.length, tracks);
    copy.writeBigUInt64BE(entryLength + BigInt(encodings.length), entry);
  });
}

/** Adds an empty content encryption object to the header of an ASF file and to its object count. */
function withAsfProtection(asf: Buffer): Buffer {
  const headerBytes = 30;
  // secret data, type, key and URL, one byte each after its length
  const object = Buffer.from(`fbb3112223bdd211b4b700a0c955fc6e${'00'.repeat(8)}${'0100000041'.repeat(4)}`, 'hex');
  object.writeUInt32LE(object.length, 16);
  return patched(Buffer.concat([asf.subarray(0, headerBytes), object, asf.subarray(headerBytes)]), (copy) => {
    copy.writeUInt32LE(copy.readUInt32LE(16) + object.length, 16);
    copy.writeUInt32LE(copy.readUInt32LE(24) + 1, 24);
  });
}
