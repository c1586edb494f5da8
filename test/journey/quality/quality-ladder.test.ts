import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, type Stream, signUp, type Video } from '../support/client.ts';
import { runOrThrow } from '../support/ffmpeg.ts';
import { playbackErrors } from '../support/measure.ts';

const query = {
  ladder: { codec: 'h264', mode: 'quality', preset: 'ultrafast' },
  outputs: [{ format: 'hls' }],
  chunk_duration: 10,
};
/** Enough that a measurement takes little of its time. */
const seconds = 70;

let client: Client;
let folder: string;
let template: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quality-'));
  client = await signUp(inject('apiUrl'));
  template = await client.makeTemplate(query);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Rung = Stream & { input_params: { crf: number } };
type Jobs = { summary: { kind: string; total: number; completed: number }[] };

/** A source with key frames only has a bitrate that does not limit the ladder. */
async function encode(name: string, source: string[], keyFrameDistance = 30): Promise<Video> {
  const file = join(folder, `${name}.mp4`);
  const codec = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-crf',
    '14',
    '-g',
    String(keyFrameDistance),
    '-pix_fmt',
    'yuv420p',
  ];
  await runOrThrow('ffmpeg', [...source, '-t', String(seconds), ...codec, file]);
  const ulid = await client.upload({ file, template, partBytes: 16 * 2 ** 20 });
  return client.waitUntilDone(ulid);
}

const rungsOf = ({ streams }: Video): Rung[] => streams.filter(({ type }) => type === 'video') as Rung[];

describe('a ladder of constant quality', () => {
  test('is measured, and all rungs of moving pictures are encoded and play', async () => {
    const filters = 'noise=alls=30:allf=t';
    const video = await encode('moving', ['-f', 'lavfi', '-i', 'testsrc2=s=854x480:r=15', '-vf', filters]);
    expect(rungsOf(video).map(({ name, status }) => [name, status])).toEqual([
      ['480p', 'completed'],
      ['360p', 'completed'],
      ['240p', 'completed'],
    ]);
    const { summary } = await client.get<Jobs>(`/api/videos/${video.ulid}/jobs`);
    expect(summary.find(({ kind }) => kind === 'quality')).toMatchObject({ total: 1, completed: 1 });
    // Noise needs more than the bitrate of the ladder at the default quality.
    expect(rungsOf(video)[0]!.input_params.crf).toBeGreaterThan(23);
    expect(await playbackErrors((await client.sources(video.ulid)).hls!)).toEqual([]);
  });

  test('has no rungs that bring no gain, whose streams have the reason', async () => {
    const filters = 'trim=end_frame=1,loop=-1:1,setpts=N/15/TB';
    const video = await encode('still', ['-f', 'lavfi', '-i', 'testsrc=s=854x480:r=15', '-vf', filters], 1);
    expect(rungsOf(video).map(({ name, status }) => [name, status])).toEqual([
      ['480p', 'completed'],
      ['360p', 'completed'],
      ['240p', 'failed'],
    ]);
    expect(rungsOf(video)[2]!.error_log).toMatch(/^240p is left out: 480p needs only \d+ kbit\/s for this video\.$/);
    expect(video.outputs).toMatchObject([{ status: 'completed', progress: 100 }]);
    const { hls } = await client.sources(video.ulid);
    expect(await playbackErrors(hls!)).toEqual([]);
    const master = await (await fetch(hls!)).text();
    expect(master.match(/^#EXT-X-STREAM-INF:/gm)).toHaveLength(2);
  });
});
