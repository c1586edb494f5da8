import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import HLS from 'hls-parser';
import { beforeAll, describe, expect, test } from 'vitest';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { makeOutputs } from '../support/make-outputs.ts';
import { describeByShaka, packageByShaka } from '../support/packager.ts';

const files = useStoreAndFolder();
const codecs = ['h264', 'hevc', 'av1', 'vp9'];
const sounds = { aac: 'audio-mp4a', opus: 'audio-opus' };
const segmentSeconds = 2;
let ours: string;
let theirs: string;

/** Two chunks at 29.97 fps in every codec, at sizes that are not multiples of a block. */
beforeAll(async () => {
  const source = files.path('source.mp4');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=214x120:r=30000/1001:d=7.6', '-f', 'lavfi', '-i', 'sine=d=7.6:r=48000'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', source],
  );
  const rung = { crf: 40, preset: 'ultrafast', gop: 1 };
  const query = {
    video: codecs.map((codec, n) => ({ name: codec, codec, height: 120 - 10 * n, ...rung })),
    audio: Object.keys(sounds).map((codec) => ({ name: codec, codec, bitrate: '64k' })),
    outputs: [
      { format: 'hls', segment_duration: segmentSeconds },
      { format: 'dash', segment_duration: segmentSeconds },
      { name: 'ts', format: 'hls', container: 'ts', video: ['h264'], audio: ['aac'], segment_duration: segmentSeconds },
    ],
    chunk_duration: 4,
  };
  ours = files.path('ours');
  theirs = files.path('theirs');
  await makeOutputs(files.store, source, query, ours);
  const tracks = [
    ...codecs.map((name) => ({ name, kind: 'video' as const })),
    ...Object.entries(sounds).map(([name, groupId]) => ({ name, kind: 'audio' as const, groupId })),
  ];
  await packageByShaka(ours, tracks, { segmentSeconds, folder: theirs });
});

/** Its strings of VP9 and AV1 contain the optional fields also where these have the values that players assume. */
const short = (codec: string): string => codec.replace(/(\.0[01]\.01\.01\.01\.00|\.0\.11\d\.01\.01\.01\.0)$/, '');

/** Its segments have headers of other sizes, and the last audio segment is shorter by the encoder's delay. */
const isNear = (given: number | undefined, other: number | undefined): boolean =>
  Math.abs(given! - other!) < 1000 + 0.02 * other!;

describe('Shaka Packager, reading our segments, agrees with our HLS playlists on', () => {
  const read = async <Playlist>(file: string): Promise<Playlist> => HLS.parse(await readFile(file, 'utf8')) as Playlist;
  const playlist = async (name: string) => ({
    our: await read<HLS.types.MediaPlaylist>(join(ours, 'outputs/hls', name)),
    their: await read<HLS.types.MediaPlaylist>(join(theirs, name)),
  });
  const durations = ({ segments }: HLS.types.MediaPlaylist) => segments.map(({ duration }) => duration.toFixed(3));

  test('codecs, sizes, frame rates and bitrates of all variants', async () => {
    const variantsOf = async (file: string) => {
      const { variants } = await read<HLS.types.MasterPlaylist>(file);
      return new Map(variants.map((variant) => [`${variant.uri} ${variant.audio[0]?.groupId}`, variant]));
    };
    const our = await variantsOf(join(ours, 'outputs/hls/master.m3u8'));
    const their = await variantsOf(join(theirs, 'master.m3u8'));
    expect([...our.keys()].sort()).toEqual([...their.keys()].sort());
    for (const [name, variant] of our) {
      const other = their.get(name)!;
      expect(variant.codecs).toBe(other.codecs?.split(',').map(short).join());
      expect(variant.resolution).toEqual(other.resolution);
      expect(variant.frameRate).toBe(other.frameRate);
      expect(variant.audio.map(({ channels }) => channels)).toEqual(other.audio.map(({ channels }) => channels));
      expect(isNear(variant.bandwidth, other.bandwidth)).toBe(true);
      // our I-frame variants have no average bandwidth
      expect(variant.isIFrameOnly || isNear(variant.averageBandwidth, other.averageBandwidth)).toBe(true);
    }
  });

  test.each(codecs)('each segment and each key frame of %s', async (name) => {
    for (const file of [`${name}.m3u8`, `${name}-key-frames.m3u8`]) {
      const { our, their } = await playlist(file);
      expect(durations(our)).toEqual(durations(their));
    }
  });

  test.each(Object.keys(sounds))('the duration of the audio in %s', async (name) => {
    const { our, their } = await playlist(`${name}.m3u8`);
    const length = (list: HLS.types.MediaPlaylist) => list.segments.reduce((sum, { duration }) => sum + duration, 0);
    // it subtracts the encoder's delay
    expect(Math.abs(length(our) - length(their))).toBeLessThan(1024 / 44_100);
    expect(our.segments).toHaveLength(their.segments.length);
  });
});

test('Shaka Packager agrees with our MPD on times, codecs, sizes, frame rates and channels', async () => {
  const our = await describeMpd(join(ours, 'outputs/dash/manifest.mpd'));
  const their = await describeMpd(join(theirs, 'manifest.mpd'));
  expect(our).toEqual(their);
  expect(our.representations).toHaveLength(6);
});

test('Shaka Packager agrees with the playlists of our MPEG-TS segments', async () => {
  const master = await readFile(join(ours, 'outputs/ts/master.m3u8'), 'utf8');
  const [picture, sound] = await describeByShaka(join(ours, 'outputs/ts/h264'));
  expect(master).toContain(`CODECS="${picture?.codec_string},${sound?.codec_string}"`);
  expect(master).toContain(`RESOLUTION=${picture?.width}x${picture?.height}`);
  expect(picture).toMatchObject({ pixel_aspect_ratio: '1:1' });
});

type Element = Record<string, string> & { [name: string]: Element[] };

/**
 * Attributes may be in a representation or in its adaptation set. Times of audio segments differ by the encoder's
 * delay.
 */
async function describeMpd(file: string) {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (_, path, __, isAttribute) => !isAttribute && path !== 'MPD',
  });
  const { MPD: mpd } = parser.parse(await readFile(file, 'utf8')) as { MPD: Element };
  const representations = mpd.Period![0]!.AdaptationSet!.flatMap((set) =>
    set.Representation!.map((representation) => {
      const { contentType, codecs, width, height, frameRate, ...rest } = { ...set, ...representation } as Element;
      const { timescale, SegmentTimeline } = (rest.SegmentList ?? rest.SegmentTemplate)![0]!;
      const segments = SegmentTimeline![0]!.S!.flatMap(({ d, r }) => Array<number>(1 + Number(r ?? 0)).fill(Number(d)));
      const channels = rest.AudioChannelConfiguration?.[0]?.value;
      const times = contentType === 'video' ? segments : segments.length;
      return { contentType, codecs: short(codecs!), width, height, frameRate, timescale, times, channels };
    }),
  );
  return { type: mpd.type, lasts: Number(mpd.mediaPresentationDuration?.slice(2, -1)).toFixed(3), representations };
}
