import HLS from 'hls-parser';
import { describe, expect, test } from 'vitest';
import type { MuxedTrack, PackagedTrack } from '../../../functions/job-results/packaged-track.ts';
import { needsStartDates } from '../../../functions/packaging/hls-lines.ts';
import { iFramePlaylist, mediaPlaylist } from '../../../functions/packaging/media-playlist.ts';
import { multivariantPlaylist } from '../../../functions/packaging/multivariant-playlist.ts';
import { audioTrack, videoTrack } from '../job-results/track-fixture.ts';

const pathOf = ({ name }: { name: string }) => `${name}/index.m3u8`;
const iFramesOf = ({ name }: { name: string }) => `${name}/key-frames.m3u8`;

function parseMultivariant(text: string) {
  const playlist = HLS.parse(text);
  if (!playlist.isMasterPlaylist) throw new Error('not a multivariant playlist');
  return playlist as HLS.types.MasterPlaylist;
}

function parseMedia(text: string) {
  const playlist = HLS.parse(text);
  if (playlist.isMasterPlaylist) throw new Error('not a media playlist');
  return playlist as HLS.types.MediaPlaylist;
}

const v720 = videoTrack();
const v360 = videoTrack({ name: 'v360', codecs: 'avc1.64001e', width: 640, height: 360 });
const english = audioTrack({ name: 'stereo-en' });
const german = audioTrack({ name: 'stereo-de', language: 'de' });
const opus = audioTrack({ name: 'opus', codecs: 'opus' });

test('a multivariant playlist of two rungs and two languages', () => {
  expect(multivariantPlaylist({ video: [v720, v360], audio: [english, german] }, pathOf, iFramesOf)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-mp4a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="stereo-en/index.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-mp4a",NAME="German",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="stereo-de/index.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=1128000,AVERAGE-BANDWIDTH=928000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="audio-mp4a"
v720/index.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=1128000,AVERAGE-BANDWIDTH=928000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=29.970,AUDIO="audio-mp4a"
v360/index.m3u8
`);
});

test('a strict parser reads the multivariant playlist back', () => {
  const { variants, independentSegments, version } = parseMultivariant(
    multivariantPlaylist({ video: [v720, v360], audio: [english, german, opus] }, pathOf, iFramesOf),
  );
  expect({ version, independentSegments }).toEqual({ version: 7, independentSegments: true });
  expect(
    variants.map(({ uri, codecs, resolution, audio }) => [
      uri,
      codecs,
      resolution?.height,
      audio.map(({ uri }) => uri),
    ]),
  ).toEqual([
    ['v720/index.m3u8', 'avc1.64001f,mp4a.40.2', 720, ['stereo-en/index.m3u8', 'stereo-de/index.m3u8']],
    ['v720/index.m3u8', 'avc1.64001f,opus', 720, ['opus/index.m3u8']],
    ['v360/index.m3u8', 'avc1.64001e,mp4a.40.2', 360, ['stereo-en/index.m3u8', 'stereo-de/index.m3u8']],
    ['v360/index.m3u8', 'avc1.64001e,opus', 360, ['opus/index.m3u8']],
  ]);
});

test('a rendition group has one default, unique names, and AUTOSELECT for one track of each language', () => {
  const tracks = [
    english,
    german,
    audioTrack({ name: 'commentary' }),
    audioTrack({ name: 'other', language: 'und' }),
    audioTrack({ name: 'described', label: 'English, described' }),
  ];
  const { variants } = parseMultivariant(multivariantPlaylist({ video: [v720], audio: tracks }, pathOf, iFramesOf));
  expect(
    variants[0]?.audio.map(({ name, language, isDefault, autoselect }) => [name, language, isDefault, autoselect]),
  ).toEqual([
    ['English', 'en', true, true],
    ['German', 'de', false, true],
    ['English-2', 'en', false, false],
    ['other', undefined, false, true],
    ['English, described', 'en', false, false],
  ]);
});

test('video without audio has no rendition group', () => {
  const { variants } = parseMultivariant(multivariantPlaylist({ video: [v720], audio: [] }, pathOf, iFramesOf));
  expect(variants).toMatchObject([
    { uri: 'v720/index.m3u8', codecs: 'avc1.64001f', bandwidth: 1_000_000, averageBandwidth: 800_000 },
  ]);
  expect(variants[0]?.audio).toEqual([]);
});

test('without video the default audio track is the variant, and its languages are renditions', () => {
  const single = parseMultivariant(multivariantPlaylist({ video: [], audio: [english] }, pathOf, iFramesOf)).variants;
  expect(single).toMatchObject([{ uri: 'stereo-en/index.m3u8', codecs: 'mp4a.40.2', bandwidth: 128_000 }]);
  expect(single[0]?.audio).toEqual([]);
  const [variant, ...others] = parseMultivariant(
    multivariantPlaylist({ video: [], audio: [english, german] }, pathOf, iFramesOf),
  ).variants;
  expect(others).toEqual([]);
  expect(variant?.uri).toBe('stereo-en/index.m3u8');
  expect(variant?.audio.map(({ uri }) => uri)).toEqual(['stereo-en/index.m3u8', 'stereo-de/index.m3u8']);
});

test('a media playlist lists the init segment and every segment, and ends', () => {
  expect(mediaPlaylist(v720)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-TARGETDURATION:6
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-MAP:URI="../r1/chunk-0/v720/init.mp4"
#EXTINF:6.006000,
../r1/chunk-0/v720/00000.m4s
#EXTINF:6.006000,
../r1/chunk-0/v720/00001.m4s
#EXTINF:6.006000,
../r1/chunk-1/v720/00002.m4s
#EXTINF:6.006000,
../r1/chunk-1/v720/00003.m4s
#EXT-X-ENDLIST
`);
});

test('playlists of tracks that start at different times have dates', () => {
  const segments = v720.segments.map((one) => ({ ...one, startTicks: one.startTicks + 0.2 * v720.timescale }));
  const dateOf = (body: string) => parseMedia(body).segments[0]?.programDateTime?.toISOString();
  const late = { ...v720, segments };
  const dates = [
    mediaPlaylist(v720, { isDated: true }),
    mediaPlaylist(late, { isDated: true }),
    iFramePlaylist(late, { isDated: true }),
    mediaPlaylist(late),
    iFramePlaylist(late),
  ].map(dateOf);
  const [start, later] = ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.200Z'];
  expect(dates).toEqual([start, later, later, undefined, undefined]);
  expect([[0, 0.2], [0.2, 0.2], [0], [0, 0.0005]].map(needsStartDates)).toEqual([true, false, false, false]);
});

test('a last segment is listed as longer where another playlist of an output is longer', () => {
  const lasting = <Track extends PackagedTrack>(track: Track, timescale: number, ...ticks: number[]): Track => ({
    ...track,
    timescale,
    segments: ticks.map((durationTicks, n) => ({ ...track.segments[n]!, startTicks: 0, durationTicks })),
  });
  // with thirds of seconds, whose digits do not add up
  const fast = lasting(v720, 3, 8, 8, 4);
  const slow = lasting(v360, 25, 66, 67, 33);
  const stereo = lasting(english, 48_000, 128_000, 128_512, 65_536);
  const surround = lasting(german, 48_000, 128_000, 128_256, 64_512);
  const tracks = [fast, slow, stereo, surround];
  const listed = (track: PackagedTrack, isDated: boolean) => {
    const playlists = [mediaPlaylist(track, { tracks, isDated }), iFramePlaylist(track, { tracks, isDated })];
    const [durations, ofKeyFrames] = playlists.map((text) =>
      [...text.matchAll(/EXTINF:(\d+)\.(\d{6}),/g)].map(([, whole, digits]) => Number(`${whole}${digits}`)),
    );
    expect(ofKeyFrames).toEqual(durations);
    return durations!;
  };
  expect(tracks.map((track) => listed(track, false))).toEqual([
    [2_666_667, 2_666_667, 1_333_333],
    [2_640_000, 2_680_000, 1_346_667],
    [2_666_667, 2_677_333, 1_365_333],
    [2_666_667, 2_672_000, 1_370_666],
  ]);
  expect(tracks.map((track) => listed(track, true))).toEqual([
    [2_666_667, 2_666_667, 1_375_999],
    [2_640_000, 2_680_000, 1_389_333],
    [2_666_667, 2_677_333, 1_365_333],
    [2_666_667, 2_672_000, 1_370_666],
  ]);
  expect(parseMedia(mediaPlaylist(slow)).segments.map(({ duration }) => duration)).toEqual([2.64, 2.68, 1.32]);
});

test('a strict parser reads the media playlist back', () => {
  const playlist = parseMedia(mediaPlaylist(v720));
  expect(playlist).toMatchObject({ playlistType: 'VOD', endlist: true, targetDuration: 6, version: 7 });
  expect(playlist.segments.reduce((sum, { duration }) => sum + duration, 0)).toBeCloseTo(24.024, 6);
  expect(playlist.segments[3]?.map?.uri).toBe('../r1/chunk-0/v720/init.mp4');
});

test('the target duration is the longest segment duration, rounded', () => {
  const long = {
    ...v720,
    segments: v720.segments.map((segment, index) => (index === 1 ? { ...segment, durationTicks: 195_000 } : segment)),
  };
  expect(parseMedia(mediaPlaylist(long)).targetDuration).toBe(7);
  const short = { ...v720, segments: [{ ...v720.segments[0]!, durationTicks: 3000 }] };
  expect(parseMedia(mediaPlaylist(short)).targetDuration).toBe(1);
});

test('muxed MPEG-TS has no init segment and version 3', () => {
  const { init: _, ...track } = v720;
  const muxed: MuxedTrack = { ...track, codecs: 'avc1.64001f,mp4a.40.2' };
  expect(mediaPlaylist(muxed)).toMatch(/^#EXTM3U\n#EXT-X-VERSION:3\n/);
  expect(mediaPlaylist(muxed)).not.toContain('EXT-X-MAP');
  expect(parseMultivariant(multivariantPlaylist({ video: [muxed], audio: [] }, pathOf, iFramesOf))).toMatchObject({
    version: 3,
    variants: [{ uri: 'v720/index.m3u8', codecs: 'avc1.64001f,mp4a.40.2' }],
  });
});

test('text from the source cannot end a string or a line', () => {
  const hostile = audioTrack({ language: 'en"\n#EXT-X-ENDLIST', label: 'a"\r\n#EXT-X-KEY:b' });
  const text = multivariantPlaylist({ video: [v720], audio: [hostile] }, pathOf, iFramesOf);
  expect(text).toContain('NAME="a#EXT-X-KEY:b",DEFAULT=YES');
  expect(text.split('\n').filter((line) => line.startsWith('#EXT-X-KEY') || line.startsWith('#EXT-X-ENDLIST'))).toEqual(
    [],
  );
});

describe('the I-frame playlist', () => {
  const withKeyframes = (track: PackagedTrack): PackagedTrack => ({
    ...track,
    segments: track.segments.map((segment, index) => ({ ...segment, keyFrameBytes: 30_030 + index })),
  });

  test('lists the first keyframe of each segment as a byte range', () => {
    const text = iFramePlaylist(withKeyframes(v720));
    expect(text).toContain(`#EXT-X-I-FRAMES-ONLY
#EXT-X-MAP:URI="../r1/chunk-0/v720/init.mp4"
#EXTINF:6.006000,
#EXT-X-BYTERANGE:30030@0
../r1/chunk-0/v720/00000.m4s
`);
    const playlist = parseMedia(text);
    expect(playlist.isIFrame).toBe(true);
    expect(playlist.segments.map(({ byterange }) => byterange?.length)).toEqual([30_030, 30_031, 30_032, 30_033]);
  });

  test('is offered for tracks whose segments have keyframe sizes', () => {
    const pq = withKeyframes({ ...v720, videoRange: 'PQ' });
    const text = multivariantPlaylist({ video: [pq, v360], audio: [english] }, pathOf, iFramesOf);
    expect(text.split('\n').filter((line) => line.includes('I-FRAME'))).toEqual([
      // 30,033 bytes in 6.006 s
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=40004,CODECS="avc1.64001f",RESOLUTION=1280x720,VIDEO-RANGE=PQ,URI="v720/key-frames.m3u8"',
    ]);
    expect(text).toContain('RESOLUTION=1280x720,VIDEO-RANGE=PQ,FRAME-RATE=29.970,AUDIO="audio-mp4a"');
    expect(parseMultivariant(text).variants.filter(({ isIFrameOnly }) => isIFrameOnly)).toHaveLength(1);
  });
});

test('RESOLUTION of non-square pixels is the display size', () => {
  const flat = videoTrack({ width: 1920, height: 2, sampleAspectRatio: { num: 25, den: 4 } });
  expect(multivariantPlaylist({ video: [flat], audio: [] }, pathOf, iFramesOf)).toContain('RESOLUTION=12000x2,');
});

test('closed captions in the frames are declared for the variants that have them', () => {
  const kept = { ...v720, closedCaptions: true };
  const text = multivariantPlaylist({ video: [kept, v360], audio: [], isRunning: true }, pathOf, iFramesOf);
  expect(text).toContain(
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC1"',
  );
  expect(text.match(/CLOSED-CAPTIONS="cc"/g)).toHaveLength(1);
  expect(text).not.toContain('CLOSED-CAPTIONS=NONE');
});

describe('audio groups', () => {
  const encode = (name: string, sourceStreamIndex: number, changes: Partial<PackagedTrack> = {}): PackagedTrack =>
    audioTrack({ name, sourceStreamIndex, ...changes });
  const loud = (name: string, sourceStreamIndex: number, changes: Partial<PackagedTrack> = {}): PackagedTrack => {
    const track = encode(name, sourceStreamIndex, { channels: 6, ...changes });
    return { ...track, segments: track.segments.map((one) => ({ ...one, bytes: 3 * one.bytes })) };
  };
  const variantsOf = (audio: PackagedTrack[], video = [v720]) =>
    parseMultivariant(multivariantPlaylist({ video, audio }, pathOf, iFramesOf)).variants;
  const groupsOf = (audio: PackagedTrack[]) =>
    variantsOf(audio).map((variant) => [
      variant.audio[0]?.groupId,
      ...variant.audio.map(({ uri }) => uri?.split('/')[0]),
    ]);
  const de = { language: 'de' };

  test('stereo and 5.1 are apart, each with all languages and its own bandwidth', () => {
    const audio = [encode('stereo-en', 1), encode('stereo-de', 2, de), loud('six-en', 1), loud('six-de', 2, de)];
    const variants = variantsOf(audio, [v720, v360]);
    expect(variants.map(({ uri, bandwidth, audio: [first] }) => [uri, bandwidth, first?.groupId])).toEqual([
      ['v720/index.m3u8', 1_128_000, 'audio-mp4a-2'],
      ['v720/index.m3u8', 1_384_000, 'audio-mp4a-6'],
      ['v360/index.m3u8', 1_128_000, 'audio-mp4a-2'],
      ['v360/index.m3u8', 1_384_000, 'audio-mp4a-6'],
    ]);
    // members of all groups have the same attributes, except for URI and CHANNELS
    const members = (index: number) =>
      variants[index]!.audio.map(({ name, language, isDefault, autoselect }) => [
        name,
        language,
        isDefault,
        autoselect,
      ]);
    expect(members(1)).toEqual(members(0));
    expect(variants[1]!.audio.map(({ uri, channels }) => [uri, channels])).toEqual([
      ['six-en/index.m3u8', '6'],
      ['six-de/index.m3u8', '6'],
    ]);
  });

  test('a language without the number of channels of a group is there with the nearest one', () => {
    const audio = [
      encode('stereo-en', 1),
      encode('stereo-de', 2, de),
      loud('six-en', 1),
      encode('mono-fr', 3, { language: 'fr', channels: 1 }),
    ];
    expect(groupsOf(audio)).toEqual([
      ['audio-mp4a-2', 'stereo-en', 'stereo-de', 'mono-fr'],
      ['audio-mp4a-6', 'six-en', 'stereo-de', 'mono-fr'],
    ]);
  });

  test('one group is enough where each track has one encode', () => {
    expect(groupsOf([loud('en', 1), encode('de', 2, de)])).toEqual([['audio-mp4a', 'en', 'de']]);
  });

  test('two encodes of one track with the same channels are never in one group', () => {
    // entries for stereo and 5.1, of a source with German in 5.1 and English in stereo
    const surround = [loud('six-de', 1, de), encode('six-en', 2)];
    expect(groupsOf([encode('stereo-de', 1, de), encode('stereo-en', 2), ...surround])).toEqual([
      ['audio-mp4a-2', 'stereo-de', 'stereo-en'],
      ['audio-mp4a-6', 'six-de', 'six-en'],
    ]);
    expect(groupsOf([encode('stereo', 1), encode('six', 1)])).toEqual([
      ['audio-mp4a-2', 'stereo'],
      ['audio-mp4a-2-2', 'six'],
    ]);
  });

  test('two tracks of one language and codec stay in one group', () => {
    expect(groupsOf([encode('en', 1), encode('en-2', 2)])).toEqual([['audio-mp4a', 'en', 'en-2']]);
  });

  test('without video each group is a variant', () => {
    expect(
      variantsOf([encode('two', 1), loud('six', 1)], []).map(({ uri, audio: [first] }) => [uri, first?.groupId]),
    ).toEqual([
      ['two/index.m3u8', 'audio-mp4a-2'],
      ['six/index.m3u8', 'audio-mp4a-6'],
    ]);
  });

  test('roles are named, descriptions have their characteristics, and commentaries are never chosen by language', () => {
    const audio = [
      encode('de', 1, { ...de, label: 'Deutsch, "DD"' }),
      encode('described', 2, { ...de, roles: ['description'] }),
      encode('commentary', 3, { roles: ['commentary'] }),
      encode('clear', 4, { roles: ['clear-speech'] }),
      encode('en', 5, { roles: ['dub'] }),
    ];
    const text = multivariantPlaylist({ video: [v720], audio }, pathOf, iFramesOf);
    expect(
      [...text.matchAll(/NAME=("[^"]*").*?DEFAULT=(\w+),AUTOSELECT=(\w+),(?:CHARACTERISTICS="([^"]*)",)?/g)].map(
        (found) => found.slice(1),
      ),
    ).toEqual([
      ['"Deutsch, DD"', 'YES', 'YES', undefined],
      ['"German (audio description)"', 'NO', 'YES', 'public.accessibility.describes-video'],
      ['"English (commentary)"', 'NO', 'NO', undefined],
      ['"English (clear speech)"', 'NO', 'YES', 'public.accessibility.enhances-speech-intelligibility'],
      ['"English"', 'NO', 'YES', undefined],
    ]);
  });
});
