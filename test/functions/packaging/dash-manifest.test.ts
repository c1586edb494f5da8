import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import type { PackagedTrack } from '../../../functions/job-results/packaged-track.ts';
import { dashManifest } from '../../../functions/packaging/dash-manifest.ts';
import { audioTrack, videoTrack } from '../job-results/track-fixture.ts';

type Xml = { [name: string]: Xml[] } & { ':@'?: Record<string, string>; '#text'?: string };

/** Elements as { name, attributes, text, children }, in document order. */
type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] };

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  ignoreDeclaration: true,
});

function elements(nodes: Xml[]): Element[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => key !== ':@' && key !== '#text');
    if (name === undefined) return [];
    const children = node[name] ?? [];
    const text = children.map((child) => child['#text'] ?? '').join('');
    return [{ name, attributes: node[':@'] ?? {}, text, children: elements(children) }];
  });
}

function manifest(tracks: { video: PackagedTrack[]; audio: PackagedTrack[] }, durationSeconds = 24.024) {
  const xml = dashManifest(tracks, { durationSeconds });
  expect(XMLValidator.validate(xml)).toBe(true);
  const [mpd] = elements(parser.parse(xml));
  const find = (name: string, within: Element = mpd!): Element[] =>
    within.children.flatMap((child) => [...(child.name === name ? [child] : []), ...find(name, child)]);
  return { xml, mpd: mpd!, find };
}

const v720 = videoTrack();
const v360 = videoTrack({ name: 'v360', codecs: 'avc1.64001e', width: 640, height: 360 });

test('a manifest of one rung and one language', () => {
  expect(manifest({ video: [v720], audio: [audioTrack()] }).xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-main:2011" type="static" mediaPresentationDuration="PT24.024S" maxSegmentDuration="PT6.006S" minBufferTime="PT6.006S">
  <Period id="0" start="PT0S">
    <AdaptationSet id="0" contentType="video" mimeType="video/mp4" segmentAlignment="true" startWithSAP="1">
      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
      <Representation id="v720" bandwidth="1000000" codecs="avc1.64001f" width="1280" height="720" frameRate="30000/1001" sar="1:1">
        <SegmentList timescale="30000">
          <Initialization sourceURL="../r1/chunk-0/v720/init.mp4"/>
          <SegmentTimeline>
            <S t="0" d="180180"/>
            <S d="180180"/>
            <S d="180180"/>
            <S d="180180"/>
          </SegmentTimeline>
          <SegmentURL media="../r1/chunk-0/v720/00000.m4s"/>
          <SegmentURL media="../r1/chunk-0/v720/00001.m4s"/>
          <SegmentURL media="../r1/chunk-1/v720/00002.m4s"/>
          <SegmentURL media="../r1/chunk-1/v720/00003.m4s"/>
        </SegmentList>
      </Representation>
    </AdaptationSet>
    <AdaptationSet id="1" contentType="audio" mimeType="audio/mp4" lang="en" segmentAlignment="true" startWithSAP="1">
      <AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/>
      <Label>English</Label>
      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
      <Representation id="stereo" bandwidth="128000" codecs="mp4a.40.2">
        <SegmentList timescale="48000">
          <Initialization sourceURL="../r1/audio/stereo/init.mp4"/>
          <SegmentTimeline>
            <S t="0" d="288000"/>
            <S d="288000"/>
            <S d="288000"/>
            <S d="288000"/>
          </SegmentTimeline>
          <SegmentURL media="../r1/chunk-0/stereo/00000.m4s"/>
          <SegmentURL media="../r1/chunk-0/stereo/00001.m4s"/>
          <SegmentURL media="../r1/chunk-1/stereo/00002.m4s"/>
          <SegmentURL media="../r1/chunk-1/stereo/00003.m4s"/>
        </SegmentList>
      </Representation>
    </AdaptationSet>
  </Period>
</MPD>
`);
});

test('aligned rungs share an AdaptationSet, other codecs and segment lengths have their own', () => {
  const av1 = videoTrack({ name: 'av1', codecs: 'av01.0.05M.08' });
  const slow = videoTrack({ name: 'slow', timescale: 25_000 });
  const { find } = manifest({ video: [v720, v360, av1, slow], audio: [] });
  const ids = find('AdaptationSet').map((set) => find('Representation', set).map(({ attributes }) => attributes.id));
  expect(ids).toEqual([['v720', 'v360'], ['av1'], ['slow']]);
});

test('HDR has its own AdaptationSet, with its color description', () => {
  const hdr = videoTrack({ name: 'hdr', codecs: v720.codecs, videoRange: 'PQ' });
  const { find } = manifest({ video: [hdr, v720], audio: [] });
  const sets = find('AdaptationSet').map((set) =>
    find('SupplementalProperty', set).map(({ attributes }) => [
      attributes.schemeIdUri?.split(':').at(-1),
      attributes.value,
    ]),
  );
  expect(sets).toEqual([
    [
      ['ColourPrimaries', '9'],
      ['TransferCharacteristics', '16'],
      ['MatrixCoefficients', '9'],
    ],
    [],
  ]);
});

test('each audio track has an AdaptationSet, and the first of each codec has the role main', () => {
  const audio = [
    audioTrack({ name: 'en' }),
    audioTrack({ name: 'de', language: 'de' }),
    audioTrack({ name: 'en-2', label: 'Commentary' }),
    audioTrack({ name: 'opus', codecs: 'opus', language: 'und', channels: 6 }),
  ];
  const { find } = manifest({ video: [], audio });
  const sets = find('AdaptationSet').map((set) => [
    set.attributes.lang,
    find('Label', set)[0]?.text,
    find('Role', set)[0]?.attributes.value,
    find('AudioChannelConfiguration', set)[0]?.attributes.value,
  ]);
  expect(sets).toEqual([
    ['en', 'English', 'main', '2'],
    ['de', 'German', 'alternate', '2'],
    ['en', 'Commentary', 'alternate', '2'],
    ['und', 'opus', 'main', '6'],
  ]);
});

test('a track that starts later keeps its offset to the first', () => {
  const { find } = manifest({ video: [videoTrack({}, 15_000)], audio: [audioTrack()] });
  expect(find('SegmentList').map(({ attributes }) => attributes.presentationTimeOffset)).toEqual([
    undefined,
    undefined,
  ]);
  expect(find('S')[0]?.attributes).toEqual({ t: '15000', d: '180180' });
});

test('the presentation starts with the earliest track', () => {
  const audio = audioTrack();
  const late = {
    ...audio,
    segments: audio.segments.map((segment) => ({ ...segment, startTicks: segment.startTicks + 48_000 })),
  };
  const { mpd, find } = manifest({ video: [videoTrack({}, 45_000)], audio: [late] }, 25.524);
  expect(find('SegmentList').map(({ attributes }) => attributes.presentationTimeOffset)).toEqual(['30000', '48000']);
  expect(mpd.attributes.mediaPresentationDuration).toBe('PT24.524S');
});

test('the segment after a gap has a start time', () => {
  const [first, second, ...rest] = v720.segments;
  const gap = [first!, { ...second!, startTicks: 200_000 }, ...rest];
  const { find } = manifest({ video: [{ ...v720, segments: gap }], audio: [] });
  expect(find('S').map(({ attributes }) => attributes.t)).toEqual(['0', '200000', '360360', undefined]);
});

test('an integer frame rate has no denominator', () => {
  const { find } = manifest({ video: [videoTrack({ frameRate: { num: 25, den: 1 } })], audio: [] });
  expect(find('Representation')[0]?.attributes.frameRate).toBe('25');
});

test('text from the source is escaped', () => {
  const hostile = audioTrack({ language: 'x"/><evil>', label: '</Label>\u0000<b a="1">&' });
  const { xml, find } = manifest({ video: [], audio: [hostile] });
  expect(xml).toContain('<Label>&lt;/Label&gt;&lt;b a=&quot;1&quot;&gt;&amp;</Label>');
  expect(find('AdaptationSet')[0]?.attributes.lang).toBe('und');
});

test('non-square pixels have the coded size and the sample aspect ratio', () => {
  const flat = videoTrack({ width: 1920, height: 2, sampleAspectRatio: { num: 25, den: 4 } });
  const [representation] = manifest({ video: [flat], audio: [] }).find('Representation');
  expect(representation?.attributes).toMatchObject({ width: '1920', height: '2', sar: '25:4' });
});

test('audio tracks have their roles, and all encodes of the first track are main', () => {
  const encode = (name: string, sourceStreamIndex: number, changes: Partial<PackagedTrack> = {}): PackagedTrack =>
    audioTrack({ name, sourceStreamIndex, ...changes });
  const { find } = manifest({
    video: [],
    audio: [
      encode('en', 1, { roles: ['original'] }),
      encode('described', 2, { roles: ['description'] }),
      encode('talk', 3, { roles: ['commentary'] }),
      encode('de', 4, { language: 'de', roles: ['dub'] }),
      encode('clear', 5, { roles: ['clear-speech'] }),
      encode('noises', 6, { language: 'zxx', roles: ['effects'] }),
      encode('six-en', 1, { channels: 6 }),
    ],
  });
  const valuesOf = (set: Element, name: string) =>
    find(name, set).map(({ attributes }) => [attributes.schemeIdUri?.split(':').at(-2), attributes.value].join(' '));
  expect(
    find('AdaptationSet').map((set) => [
      find('Label', set)[0]?.text,
      ...valuesOf(set, 'Role'),
      ...valuesOf(set, 'Accessibility'),
    ]),
  ).toEqual([
    ['English', 'role main'],
    ['English (audio description)', 'role alternate', 'role description', 'AudioPurposeCS 1'],
    ['English (commentary)', 'role commentary'],
    ['German', 'role dub'],
    ['English (clear speech)', 'role alternate', 'role enhanced-audio-intelligibility', 'AudioPurposeCS 2'],
    ['No linguistic content (music and effects)', 'role alternate'],
    ['English', 'role main'],
  ]);
});
