import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, type Source, type Stream, signUp, type Video } from './support/client.ts';
import { audioVideoOffsetSeconds, durationSeconds, frames, playbackErrors, tracks } from './support/measure.ts';
import { streamsOf } from './support/templates.ts';

const clip = inject('clip');
const partBytes = 16 * 2 ** 20;

let client: Client;
let ulid: string;
let video: Video;

beforeAll(async () => {
  client = await signUp(inject('apiUrl'));
  const template = await client.makeTemplate({
    ...streamsOf([360]),
    outputs: [
      { format: 'hls', segment_duration: 2 },
      { format: 'dash', segment_duration: 2 },
      { format: 'hls', name: 'ts', container: 'ts', segment_duration: 4 },
    ],
  });
  ulid = await client.upload({ file: clip.file, template, partBytes });
  video = await client.waitUntilDone(ulid);
});

const settled = ({ streams }: Video): boolean =>
  streams.every(({ status }) => ['completed', 'failed'].includes(status));
const named = ({ streams }: Video, name: string): Stream => streams.find((stream) => stream.name === name)!;
/** URLs of the segmented outputs in template order: HLS, DASH, HLS with MPEG-TS. */
async function urls(): Promise<[string, string, string]> {
  const { sources } = await client.get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
  return sources.flatMap(({ format, url }) => (format === 'mp4' ? [] : [url])) as [string, string, string];
}
/** Of the rungs, each of which HLS lists once for each audio group. */
const heights = async (url: string): Promise<number[]> => [
  ...new Set((await tracks(url)).flatMap(({ type, height }) => (type === 'video' ? [height] : []))),
];

describe('streams of a finished video', () => {
  test('an added rung joins every segmented output with the same frames as the others', async () => {
    const params = { codec: 'h264', height: 240, bitrate: '400k', preset: 'ultrafast' };
    const added = await client.addStream({ video_id: video.id, name: 'Small', type: 'video', input_params: params });
    expect(added).toMatchObject({
      name: 'Small',
      type: 'video',
      status: 'pending',
      width: 426,
      height: 240,
      size: null,
    });
    const done = await client.waitFor(ulid, settled);
    expect(done.status).toBe('completed');
    expect(done.streams.map(({ name, status, height }) => [name, status, height])).toEqual([
      ['Original', 'completed', 360],
      ['v360', 'completed', 360],
      ['v360-4s', 'completed', 360],
      ['stereo', 'completed', null],
      ['stereo-4s', 'completed', null],
      ['Small', 'completed', 240],
      ['Small (4 s)', 'completed', 240],
    ]);
    for (const url of await urls()) {
      expect(await playbackErrors(url)).toEqual([]);
      expect(await heights(url)).toEqual([360, 240]);
      const [large, small] = await Promise.all([frames(url, 360), frames(url, 240)]);
      expect(small).toEqual(large);
      expect(small).toHaveLength(clip.frames);
    }
  });

  test('a changed stream is served until its replacement is ready, and open players continue', async () => {
    const small = named(await client.getVideo(ulid), 'Small');
    const [before] = await urls();
    expect(await client.changeStream(small.id, { name: 'Tiny' })).toMatchObject({ name: 'Tiny', status: 'completed' });
    const params = { codec: 'h264', height: 180, bitrate: '300k', preset: 'ultrafast' };
    const changed = await client.changeStream(small.id, { input_params: params });
    expect(changed).toMatchObject({ id: small.id, name: 'Tiny', status: 'pending', input_params: { height: 180 } });
    expect(await playbackErrors(before)).toEqual([]);
    const done = await client.waitFor(ulid, settled);
    expect(named(done, 'Tiny')).toMatchObject({ status: 'completed', width: 320, height: 180 });
    const [hls] = await urls();
    expect(await heights(hls)).toEqual([360, 180]);
    expect(await frames(hls, 180)).toHaveLength(clip.frames);
    expect(await heights(before)).toEqual([360, 240]);
    expect(await playbackErrors(before)).toEqual([]);
  });

  test('an added audio track can be selected and is in sync', async () => {
    const params = { codec: 'aac', bitrate: '64k', channels: 1 };
    await client.addStream({ video_id: video.id, name: 'Mono', type: 'audio', input_params: params });
    const done = await client.waitFor(ulid, settled);
    expect(named(done, 'Mono')).toMatchObject({ status: 'completed', channels: 1, language: 'und' });
    const [hls] = await urls();
    expect(await playbackErrors(hls)).toEqual([]);
    expect((await tracks(hls)).filter(({ type }) => type === 'audio')).toHaveLength(2);
  });

  test('a muxed stream is a separate MP4 with audio in sync', async () => {
    const params = { codec: 'h264', height: 144, bitrate: '200k', preset: 'ultrafast' };
    await client.addStream({ video_id: video.id, name: 'Download', type: 'muxed', input_params: params });
    const done = await client.waitFor(ulid, settled);
    const file = done.outputs.find(({ format }) => format === 'mp4');
    expect(file).toMatchObject({ name: 'Download', status: 'completed', progress: 100 });
    const { mp4 } = await client.sources(ulid);
    const { headers } = await fetch(mp4!, { method: 'HEAD' });
    expect(named(done, 'Download')).toMatchObject({
      size: Number(headers.get('content-length')),
      language: 'und',
      channels: 2,
      height: 144,
      meta: {
        codecs: expect.stringMatching(/^avc1\.\w{6},mp4a\.40\.2$/),
        video: { profile: expect.any(String), pixel_format: 'yuv420p', frame_rate: 29.97 },
        audio: { profile: 'LC', sample_rate: 48_000, channel_layout: 'stereo' },
      },
    });
    expect((await tracks(mp4!)).map(({ type, codec, height }) => [type, codec, height])).toEqual([
      ['video', 'h264', 144],
      ['audio', 'aac', 0],
    ]);
    const offset = await audioVideoOffsetSeconds(mp4!, 144);
    expect(Math.abs(offset.first)).toBeLessThan(0.04);
    expect(Math.abs(offset.last)).toBeLessThan(0.04);
    await client.deleteStream(named(done, 'Download').id);
    expect((await client.getVideo(ulid)).outputs.map(({ format }) => format)).toEqual(['hls', 'dash', 'hls']);
  });

  test('a deleted stream leaves the manifests; the last video stream of an output cannot be deleted', async () => {
    const now = await client.getVideo(ulid);
    expect((await client.deleteStream(named(now, 'Tiny').id)).status).toBe(204);
    expect((await client.getVideo(ulid)).streams.map(({ name }) => name)).not.toContain('Tiny');
    await expect.poll(async () => heights((await urls())[0]), { interval: 300 }).toEqual([360]);
    await expect(client.deleteStream(named(now, 'v360').id)).rejects.toMatchObject({ status: 409 });
    const [hls] = await urls();
    expect(await playbackErrors(hls)).toEqual([]);
    expect(await durationSeconds(hls)).toBeCloseTo(clip.durationSeconds, 1);
  });

  test('the poster can be any frame, and is delivered under a new URL', async () => {
    const posters: (string | null)[] = [];
    for (const at_seconds of [1, clip.durationSeconds - 0.1]) {
      const answer = await client.put<{ data: Video }>(`/api/videos/${ulid}/poster`, { at_seconds });
      const before = answer.data.thumbnail_path;
      posters.push((await client.waitFor(ulid, ({ thumbnail_path }) => thumbnail_path !== before)).thumbnail_path);
    }
    expect(posters).toEqual([1, 2].map(() => expect.stringMatching(/\/thumbnails\/poster-\d+\.jpg$/)));
    expect(new Set(posters).size).toBe(2);
    const { poster_url } = await client.get<{ poster_url: string }>(`/api/videos/${ulid}/sources`);
    const image = await fetch(poster_url);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect((await image.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  });
});
