import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { checkMedia } from '../../../encoder-task/verify/check-media.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';

const files = useStoreAndFolder();
let good: string;
let broken: string;

beforeAll(async () => {
  const source = files.path('source.mp4');
  // Of frames for the encoders of ffmpeg 7, and as options for those of version 5.
  const bt709 = 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709';
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=30000/1001:d=7,${bt709}`, '-f', 'lavfi', '-i', 'sine=d=7:r=48000'],
    ...['-map', '0', '-map', '1', '-map', '1', '-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ...['-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709', source],
  );
  const rung = { codec: 'h264', bitrate: '300k', preset: 'superfast', gop: 1 };
  const query = {
    video: [
      { name: 'v180', height: 180, ...rung },
      { name: 'v90', height: 90, ...rung },
    ],
    audio: [{ name: 'a', codec: 'aac', languages: 'all', bitrate: '64k' }],
    outputs: [
      { format: 'hls', segment_duration: 2 },
      { format: 'dash', segment_duration: 2 },
      { format: 'mp4', video: ['v180'] },
      { name: 'sound', format: 'mp4', video: [] },
      { name: 'ts', format: 'hls', container: 'ts', segment_duration: 2 },
    ],
    thumbnails: { poster: {}, sprite: { interval: 1, columns: 2, rows: 2 } },
    chunk_duration: 4,
  };
  good = files.path('good');
  broken = files.path('broken');
  await makeOutputs(files.store, source, query, good);
  await cp(good, broken, { recursive: true });
});

test('the output of the service has no problems', async () => {
  expect(await checkMedia(good)).toEqual({ entries: 7, problems: [] });
});

test('the extension of a progressive file must fit its tracks', async () => {
  const [movie, song] = [await readFile(join(good, mp4)), await readFile(join(good, 'outputs/sound/audio.m4a'))];
  const renamed = files.path('renamed');
  await mkdir(renamed);
  await writeFile(join(renamed, 'film.m4a'), movie);
  await writeFile(join(renamed, 'song.mp4'), song);
  expect((await checkMedia(renamed)).problems).toEqual([
    'renamed/film.m4a: has the extension of an audio file, but a video track',
    'renamed/song.mp4: has no video track, so its extension should be .m4a',
  ]);
});

type Change = (bytes: Buffer) => Buffer | string | null;

/** The problems that are found while one file is changed; null removes the file. */
async function problemsAfter(file: string, change: Change): Promise<string[]> {
  const path = join(broken, file);
  const before = await readFile(path);
  const after = change(Buffer.from(before));
  if (after === null) await rm(path);
  else {
    expect(Buffer.from(after).equals(before), 'the change changes nothing').toBe(false);
    await writeFile(path, after);
  }
  // only the entry that uses the file, because there are many of these tests
  const [top, name] = file.split('/') as [string, string];
  const entry = { video: hls, audio: hls, thumbnails: top, outputs: `${top}/${name}` }[top]!;
  const { problems } = await checkMedia(join(broken, entry));
  await writeFile(path, before);
  return problems;
}

const words =
  (pattern: RegExp | string, replacement: string): Change =>
  (bytes) =>
    bytes.toString().replace(pattern, replacement);

/** Sets the byte at `offset` after the type of the first box of this type. */
const boxByte =
  (type: string, offset: number, value: number): Change =>
  (bytes) => {
    bytes[bytes.indexOf(type) + 4 + offset] = value;
    return bytes;
  };

const nothing: Change = () => '';
const otherBrand: Change = (bytes) => {
  bytes.write('mp42', bytes.indexOf('cmfc'));
  return bytes;
};
const gone: Change = () => null;
const half: Change = (bytes) => bytes.subarray(0, bytes.length / 2);

const hls = 'outputs/hls/master.m3u8';
const media = 'outputs/hls/v180.m3u8';
const keyFrames = 'outputs/hls/v180-key-frames.m3u8';
const dash = 'outputs/dash/manifest.mpd';
const mp4 = 'outputs/mp4/video.mp4';
const video = 'video/v180/00001.m4s';
const videoInit = 'video/v180/init.mp4';
const audio = 'audio/a-de/00001.m4s';
const ts = 'outputs/ts/v90/00001.ts';
const vtt = 'thumbnails/sprite.vtt';

test.each<[what: string, file: string, change: Change, says: RegExp]>([
  [
    'a peak that is too low',
    hls,
    words(/:BANDWIDTH=\d+/, ':BANDWIDTH=200000'),
    /v180.m3u8 has a peak of \d+ bit\/s, not/,
  ],
  [
    'a peak that is too high',
    hls,
    words(/:BANDWIDTH=\d+/, ':BANDWIDTH=2000000'),
    /has a peak of \d+ bit\/s, not 2000000/,
  ],
  ['no average', hls, words(/AVERAGE-BANDWIDTH=\d+,/, ''), /has an average of \d+ bit\/s, not undefined/],
  ['a codec that is missing', hls, words(',mp4a.40.2"', '"'), /has avc1.\w+,mp4a.40.2, not avc1/],
  ['another profile', hls, words(/avc1\.\w+/, 'avc1.640028'), /has avc1.\w+,mp4a.40.2, not avc1.640028/],
  ['another size', hls, words('320x180', '320x184'), /has 320 × 180 pixels, not 320 × 184/],
  ['another frame rate', hls, words('29.970', '30.000'), /has 29.970 frames a second, not 30/],
  ['another video range', hls, words('VIDEO-RANGE=SDR', 'VIDEO-RANGE=PQ'), /has the video range SDR, not PQ/],
  ['another number of channels', hls, words('CHANNELS="1"', 'CHANNELS="6"'), /a-en.m3u8 has 1 channels, not 6/],
  ['two names that are the same', hls, words('NAME="German"', 'NAME="English"'), /name/i],
  ['two defaults', hls, words('DEFAULT=NO', 'DEFAULT=YES'), /default/i],
  ['no default', hls, words('DEFAULT=YES', 'DEFAULT=NO'), /must have exactly one default/],
  ['two automatic tracks of a language', hls, words('LANGUAGE="de"', 'LANGUAGE="en"'), /two autoselect tracks/],
  ['a missing playlist', hls, words('v90.m3u8', 'v91.m3u8'), /v91.m3u8: cannot be read/],
  ['no EXTM3U at the start', hls, words('#EXTM3U\n', ''), /it does not start with #EXTM3U/],
  ['no variant', hls, words(/#EXT-X-STREAM-INF[\s\S]*/, '#EXT-X-STREAM-INF'), /cannot be read|has no variant/],
  [
    'an I-frame variant with a wrong bandwidth',
    hls,
    words(/(I-FRAME-STREAM-INF:BANDWIDTH=)\d+/, '$11000'),
    /key-frames.m3u8 has a peak of/,
  ],
  [
    'an I-frame variant of another size',
    hls,
    words(/(I-FRAME.*)320x180/, '$1640x360'),
    /320 × 180 pixels, not 640 × 360/,
  ],

  [
    'a segment longer than the target',
    media,
    words('TARGETDURATION:2', 'TARGETDURATION:1'),
    /longer than the target duration of 1/,
  ],
  ['a wrong duration', media, words('EXTINF:2.002000', 'EXTINF:2.102000'), /00000.m4s lasts 2.002 s, not 2.102/],
  [
    'a length that other playlists do not have',
    media,
    words(/EXTINF:[\d.]+(?=,\n.*\n#EXT-X-ENDLIST)/, 'EXTINF:1.9'),
    /v90.m3u8: lasts 7.\d+ s, and another playlist 7.9\d* s/,
  ],
  ['no end tag', media, words('#EXT-X-ENDLIST', ''), /has no EXT-X-ENDLIST/],
  [
    'a segment left out',
    media,
    words(/#EXTINF.*\n.*00001.m4s\n/, ''),
    /00002.m4s: starts at \d+ ticks, the previous segment ends at/,
  ],
  [
    'segments in another order',
    media,
    words(/(#EXTINF.*\n.*00001.m4s\n)(#EXTINF.*\n.*00002.m4s\n)/, '$2$1'),
    /the previous segment ends at/,
  ],
  [
    'a segment of another rendition',
    media,
    words('v180/00001', 'v90/00001'),
    /cannot be read|has \d+ ×|has a peak of|key frame/,
  ],
  ['the init segment of another track', media, words('v180/init', 'v90/init'), /has 160 × 90 pixels|cannot be read/],
  [
    'no init segment',
    media,
    words(/#EXT-X-MAP.*\n/, ''),
    /cannot be read: \d+ bytes are not whole packets|cannot be read: no packet/,
  ],
  ['a discontinuity', media, words('00001.m4s\n', '00001.m4s\n#EXT-X-DISCONTINUITY\n'), /has a discontinuity/],
  [
    'an I-frame playlist instead of a media playlist',
    media,
    words('#EXT-X-MAP', '#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP'),
    /is an I-frame playlist|cannot be read/,
  ],

  [
    'a range that ends early',
    keyFrames,
    words(/BYTERANGE:(\d+)\d@/, 'BYTERANGE:$1@'),
    /the key frame of .*00000.m4s is \d+@0, not/,
  ],
  ['a range that starts late', keyFrames, words('@0', '@10'), /is \d+@0, not \d+@10/],
  ['no range', keyFrames, words(/#EXT-X-BYTERANGE.*\n/, ''), /not the whole segment/],
  [
    'a key frame with a short duration',
    keyFrames,
    words('EXTINF:2.002000', 'EXTINF:1.002000'),
    /lasts 2.002 s, not 1.002/,
  ],
  ['no I-frames-only tag', keyFrames, words('#EXT-X-I-FRAMES-ONLY\n', ''), /has no EXT-X-I-FRAMES-ONLY/],

  ['a missing segment', video, gone, /v180\/00001.m4s: cannot be read/],
  ['an empty segment', video, nothing, /v180\/00001.m4s: cannot be read: it has no media/],
  ['a segment that is cut off', video, half, /v180\/00001.m4s: cannot be read: box mdat is cut off/],
  ['a segment that starts later', video, boxByte('tfdt', 11, 255), /v180\/00001.m4s: starts at \d+ ticks/],
  ['a first sample without the sync flag', video, unmarked, /does not start with a key frame/],
  ['a first sample with the sync flag that is no key frame', video, withoutIdr, /does not start with a key frame/],
  ['a frame of another duration', video, boxByte('tfhd', 11, 200), /lasts \d+ ticks|cannot be read/],
  ['another timescale', videoInit, boxByte('mdhd', 15, 7), /lasts|starts|frames a second/],
  ['another pixel aspect ratio', videoInit, boxByte('pasp', 3, 2), /has 640 × 180 pixels, not 320 × 180/],
  ['another coded width', videoInit, boxByte('avc1', 25, 0), /pixels, not 320 × 180/],
  ['PQ that is not in the playlist', videoInit, boxByte('colr', 7, 16), /has the video range PQ, not SDR/],
  ['a profile that is not in the playlist', videoInit, boxByte('avcC', 1, 0x4d), /has avc1.4d/],
  ['an edit list that hides frames', videoInit, boxByte('elst', 15, 255), /shows a frame at/],
  ['a missing init segment', videoInit, gone, /init.mp4: cannot be read/],
  ['audio with a gap', audio, boxByte('tfdt', 10, 255), /a-de\/00001.m4s: starts at \d+ ticks/],
  ['audio that is cut off', audio, half, /a-de\/00001.m4s: cannot be read/],
  ['audio with more channels', 'audio/a-de/init.mp4', moreChannels, /a-de.m3u8 has 2 channels, not 1/],

  [
    'a missing MPEG-TS packet',
    ts,
    (bytes) => Buffer.concat([bytes.subarray(0, 188 * 9), bytes.subarray(188 * 10)]),
    /is missing/,
  ],
  [
    'an MPEG-TS segment that starts inside a packet',
    ts,
    (bytes) => bytes.subarray(100),
    /not whole packets|no packet at byte/,
  ],
  ['a repeated MPEG-TS segment', 'outputs/ts/v90.m3u8', words('00002.ts', '00001.ts'), /its video starts at/],
  ['an empty MPEG-TS segment', ts, nothing, /v90\/00001.ts: cannot be read/],
  [
    'an MPEG-TS segment of another duration',
    'outputs/ts/v90.m3u8',
    words(/EXTINF:2\.\d+/, 'EXTINF:1.9'),
    /lasts 2.00\d+ s, not 1.9/,
  ],

  [
    'another size of an MPEG-TS variant',
    'outputs/ts/master.m3u8',
    words('160x90', '160x96'),
    /has 160 × 90 pixels, not 160 × 96/,
  ],
  [
    'an MPEG-TS segment of another size',
    'outputs/ts/v90.m3u8',
    words('v90/00001', 'v180/00001'),
    /320 × 180 pixels, the previous segment/,
  ],

  [
    'another sample aspect ratio',
    dash,
    words('sar="1:1"', 'sar="4:3"'),
    /v180 has a pixel aspect ratio of 1:1, not 4:3/,
  ],
  ['another brand', videoInit, otherBrand, /has no brand of CMAF/],
  [
    'captions that are missing',
    dash,
    words(
      '</Period>',
      '<AdaptationSet mimeType="text/vtt"><Representation><BaseURL>en.vtt</BaseURL></Representation></AdaptationSet></Period>',
    ),
    /en.vtt cannot be read/,
  ],
  ['no XML', dash, words('</MPD>', ''), /manifest.mpd: cannot be read/],
  ['an extra time', dash, words(/<S d="\d+"\/>/, '<S d="60060"/><S d="60060"/>'), /has \d times for \d segments/],
  ['a wrong time', dash, words('t="0"', 't="30"'), /starts at 0 s, not 0.001/],
  ['a wrong duration in the timeline', dash, words(/<S d="60060"/, '<S d="60000"'), /lasts 2.002 s, not 2/],
  ['another bandwidth', dash, words(/bandwidth="\d+"/, 'bandwidth="1000"'), /v180 has a peak of/],
  ['another codec', dash, words('mp4a.40.2', 'mp4a.40.5'), /has mp4a.40.2, not mp4a.40.5/],
  ['another height', dash, words('height="180"', 'height="182"'), /320 × 180 pixels, not 320 × 182/],
  ['a rounded frame rate', dash, words('30000/1001', '30'), /29.97\d+ frames a second, not 30/],
  [
    'a wrong total duration',
    dash,
    words(/mediaPresentationDuration="PT[\d.]+S"/, 'mediaPresentationDuration="PT9S"'),
    /lasts 7.\d+ s, not 9/,
  ],
  [
    'a wrong longest segment',
    dash,
    words(/maxSegmentDuration="PT[\d.]+S"/, 'maxSegmentDuration="PT1S"'),
    /has a segment of 2/,
  ],
  ['a repeated adaptation set', dash, words('id="1"', 'id="0"'), /two adaptation sets have the id 0/],
  [
    'more channels than there are',
    dash,
    words(/(channel_configuration:2011" value=)"1"/, '$1"2"'),
    /has 1 channels, not 2/,
  ],
  [
    'a late start',
    dash,
    words('SegmentList timescale="30000"', 'SegmentList timescale="30000" presentationTimeOffset="30000"'),
    /has no media before|does not start/,
  ],
  ['audio declared as video', dash, words('contentType="audio"', 'contentType="video"'), /is audio, not video/],

  ['an index after the media', mp4, indexLast, /has its index after the media/],
  ['an edit list that starts late', mp4, boxByte('elst', 14, 100), /is shown from tick/],
  ['an edit list that ends early', mp4, boxByte('elst', 10, 0), /is shown for/],
  ['a sample outside of the file', mp4, boxByte('stco', 8, 0x7f), /samples outside of the media/],
  ['a start that is no key frame', mp4, boxByte('stss', 11, 2), /does not start with a key frame/],
  ['a file that is cut off', mp4, half, /cannot be read/],

  ['a tile outside of the image', vtt, words('xywh=160,0', 'xywh=1600,0'), /is outside of sprite-001.jpg/],
  ['a repeated tile', vtt, words('xywh=160,0', 'xywh=0,0'), /is used twice/],
  [
    'a gap in time',
    vtt,
    words('00:00:01.000 --> ', '00:00:01.500 --> '),
    /starts at 1.5 s, the previous one ends at 1/,
  ],
  ['a cue without a tile', vtt, words('#xywh=0,0,160,90', ''), /cannot be read/],
  ['a missing sheet', 'thumbnails/sprite-001.jpg', gone, /sprite-001.jpg: cannot be read/],
  [
    'a poster that is not an image',
    'thumbnails/poster.jpg',
    () => 'not an image at all',
    /poster.jpg: cannot be read: not a complete JPEG, PNG or WebP image/,
  ],
])('%s is found', async (_, file, change, says) => {
  expect((await problemsAfter(file, change)).join('\n')).toMatch(says);
});

test('in a file without a list of key frames, all frames are key frames', async () => {
  const withoutList: Change = (bytes) => {
    bytes.write('free', bytes.indexOf('stss'));
    return bytes;
  };
  expect(await problemsAfter(mp4, withoutList)).toEqual([]);
});

/** Gives the first frame the flags of a frame that depends on others. */
function unmarked(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(0x01_01_00_00, bytes.indexOf(Buffer.from([2, 0, 0, 0]), bytes.indexOf('trun')));
  return bytes;
}

/** Gives the first picture the NAL unit type of a predicted picture; the flags stay. */
function withoutIdr(bytes: Buffer): Buffer {
  for (let at = bytes.indexOf('mdat') + 4; at < bytes.length; at += 4 + bytes.readUInt32BE(at)) {
    if ((bytes[at + 4]! & 0x1f) !== 5) continue;
    bytes[at + 4] = (bytes[at + 4]! & 0xe0) | 1;
    return bytes;
  }
  return bytes;
}

/** Two channels instead of one in the AudioSpecificConfig of AAC LC at 48 kHz. */
function moreChannels(bytes: Buffer): Buffer {
  const at = bytes.indexOf(Buffer.from([0x11, 0x88]));
  bytes[at + 1] = 0x90;
  return bytes;
}

function indexLast(bytes: Buffer): Buffer {
  const moov = bytes.indexOf('moov') - 4;
  const end = moov + bytes.readUInt32BE(moov);
  return Buffer.concat([bytes.subarray(0, moov), bytes.subarray(end), bytes.subarray(moov, end)]);
}

test('the command prints the problems, and exits with 1 when there are any', async () => {
  const command = (location: string) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../encoder-task/verify/cli.ts'), location]);
  expect((await command(good)).stdout).toBe(`${good}: 7 checked, 0 problems\n`);
  await rm(join(broken, audio));
  await expect(command(broken)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('a-de/00001.m4s: cannot be read'),
  });
});
