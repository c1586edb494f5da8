import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../test/journey/support/client.ts';
import { createRandom } from '../faults/random.ts';
import { checkResult } from './checks/check-result.ts';
import { randomSource } from './description/random-source.ts';
import { type Source, sourceText } from './description/source.ts';
import { makeSource } from './making/make-source.ts';
import { readResult } from './reading/read-result.ts';

/** What became of a source: what is wrong, in sentences. */
export type Tried = { source: Source; text: string; problems: string[] };

/** A user may send 300 requests a minute, also while several sources are tried. */
const lookEveryMs = 2000;
/** Uploads are smaller than a part. */
const partBytes = 64 * 2 ** 20;

/** The source of a seed and a position, from 1. */
export const sourceOf = (seed: number, number: number): Source =>
  randomSource(createRandom(seed * 1_000_003 + number), createRandom(seed * 1_000_003 + number + 500_000), number);

/** Makes a source, uploads it, waits for its video and checks that. */
export async function trySource(
  source: Source,
  { client, templates, folder }: { client: Client; templates: Templates; folder: string },
): Promise<Tried> {
  const own = join(folder, String(source.number));
  await mkdir(own, { recursive: true });
  try {
    const file = await makeSource(source, own);
    const template = await templateFor(source, client, templates);
    const ulid = await client.upload({ file, template, partBytes });
    await client.waitFor(ulid, ({ status }) => status === 'completed', { everyMs: lookEveryMs });
    const problems = checkResult(source, await readResult(client, ulid, own));
    return { source, text: sourceText(source), problems };
  } catch (error) {
    return { source, text: sourceText(source), problems: [reasonOf(error as Error)] };
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** The error of the video, where the message is about one that failed. */
const reasonOf = ({ message, stack }: Error): string =>
  /"error_log":"([^"]+)"/.exec(message)?.[1] ?? (message.length > 0 ? message.slice(0, 600) : String(stack));

/** The templates that were made, by their settings. */
export type Templates = Map<string, Promise<string>>;

/** Small rungs in all formats. A second of video is half a second of work. */
const query = ({ background, ...video }: { fps?: number; background?: string }) => ({
  version: 1,
  video: [90, 64].map((height) => ({
    name: `v${height}`,
    codec: 'h264',
    height,
    crf: 20,
    preset: 'ultrafast',
    ...video,
  })),
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '64k', channels: 2, languages: 'all' }],
  outputs: [
    { format: 'hls', segment_duration: 2 },
    { format: 'dash', segment_duration: 2 },
    { format: 'mp4', video: ['v90'] },
  ],
  chunk_duration: 4,
  ...(background !== undefined && { scaling: { background } }),
  thumbnails: { poster: { at: '10%', width: 160 } },
});

function templateFor({ fpsCap, background }: Source, client: Client, templates: Templates): Promise<string> {
  const wanted = query({
    ...(fpsCap !== null && { fps: fpsCap }),
    ...(background !== null && { background: `#${Buffer.from(background).toString('hex')}` }),
  });
  const key = JSON.stringify(wanted);
  const template = templates.get(key) ?? client.makeTemplate(wanted);
  templates.set(key, template);
  return template;
}
