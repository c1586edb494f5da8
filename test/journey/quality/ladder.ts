import { join } from 'node:path';
import { expect } from 'vitest';
import type { Client, Stream, Video } from '../support/client.ts';
import { runOrThrow } from '../support/ffmpeg.ts';

const query = {
  ladder: { codec: 'h264', mode: 'quality', preset: 'ultrafast' },
  outputs: [{ format: 'hls' }],
  chunk_duration: 10,
};
/** Enough that a measurement takes little of its time. */
const seconds = 70;
const codec = '-c:v libx264 -preset ultrafast -crf 14 -pix_fmt yuv420p'.split(' ');

export type Rung = Stream & { input_params: { crf: number } };
type Jobs = { summary: { kind: string; total: number; completed: number }[] };

/** `filters` are of ffmpeg, from a generated `source`. */
type Pictures = { source: string; filters: string; keyFrameDistance: number };

/** Encodes generated pictures with a ladder of constant quality, after one measurement. */
export async function encodeLadder(client: Client, folder: string, pictures: Pictures): Promise<Video> {
  const file = join(folder, 'source.mp4');
  const { source, filters, keyFrameDistance } = pictures;
  await runOrThrow('ffmpeg', [
    ...['-f', 'lavfi', '-i', source, '-vf', filters, '-t', String(seconds)],
    ...[...codec, '-g', String(keyFrameDistance), file],
  ]);
  const ulid = await client.upload({ file, template: await client.makeTemplate(query), partBytes: 16 * 2 ** 20 });
  const video = await client.waitUntilDone(ulid);
  const { summary } = await client.get<Jobs>(`/api/videos/${ulid}/jobs`);
  expect(summary.find(({ kind }) => kind === 'quality')).toMatchObject({ total: 1, completed: 1 });
  return video;
}

export const rungsOf = ({ streams }: Video): Rung[] => streams.filter(({ type }) => type === 'video') as Rung[];
