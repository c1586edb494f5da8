import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { bodyOf } from '../../client/api.ts';
import { ApiError } from '../../client/api-error.ts';
import type { components } from '../../client/api-types.ts';
import type { Client } from '../../client/create-client.ts';
import { type FailedOutput, failedOutputs, reasonOf } from '../../client/failure-reasons.ts';
import type { Progress } from './progress.ts';
import type { SourceFile } from './source-files.ts';

/** The result of a file: URLs that play it, or the reason of its failure. `failed` has the outputs that failed. */
export type Processed = {
  name: string;
  sources: components['schemas']['Source'][];
  poster: string | undefined;
  failure?: string;
  failed?: FailedOutput[];
};

/** A fixed ladder with fast presets, in every format. */
const template: { name: string; query: components['schemas']['TemplateQuery'] } = {
  name: 'npm start',
  query: {
    version: 1,
    video: [
      { name: 'v720', codec: 'h264', width: 1280, height: 720, bitrate: '2800k', preset: 'veryfast' },
      { name: 'v480', codec: 'h264', width: 854, height: 480, bitrate: '1400k', preset: 'veryfast' },
      { name: 'v360', codec: 'h264', width: 640, height: 360, bitrate: '800k', preset: 'veryfast' },
    ],
    audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
    outputs: [
      { name: 'hls', format: 'hls', segment_duration: 4 },
      { name: 'dash', format: 'dash', segment_duration: 4 },
      { name: 'mp4', format: 'mp4', video: ['v720'], audio: ['stereo'] },
    ],
    thumbnails: { poster: { at: '10%' } },
  },
};

/** Uploads files one after the other, as an API client, while earlier ones are encoded. */
export async function processFiles(files: SourceFile[], client: Client, progress: Progress): Promise<Processed[]> {
  const templateUlid = await ensureTemplate(client);
  const results: Promise<Processed>[] = [];
  for (const file of files) {
    const { name } = file;
    const uploaded = upload(file, templateUlid, client, progress);
    results.push(uploaded.then((video) => followVideo(name, video, client, progress)).catch(asFailure(name)));
    await uploaded.catch(() => {});
  }
  return Promise.all(results);
}

/** The ULID of the template of this command, which is created if it does not exist. */
async function ensureTemplate({ api }: Client): Promise<string> {
  const { data } = await bodyOf(api.GET('/api/templates'));
  const known = data.find(({ name }) => name === template.name);
  return known?.ulid ?? (await bodyOf(api.POST('/api/templates', { body: template }))).data.ulid;
}

/** Returns the ULID of the video. An upload that fails is aborted. */
async function upload(
  { path, name }: SourceFile,
  templateUlid: string,
  client: Client,
  progress: Progress,
): Promise<string> {
  let uploadId: string | undefined;
  try {
    const { ulid } = await client.upload(await openAsBlob(path), {
      filename: basename(name),
      template: templateUlid,
      onStarted: (started) => {
        uploadId = started.uploadId;
      },
      onProgress: ({ sentBytes, totalBytes }) => progress.show(name, 'upload', sentBytes / totalBytes, ''),
    });
    return ulid;
  } catch (error) {
    if (uploadId !== undefined) await client.abortUpload(uploadId).catch(() => {});
    throw error;
  }
}

async function followVideo(name: string, ulid: string, client: Client, progress: Progress): Promise<Processed> {
  let isSaid = false;
  const video = await client.waitForVideo(ulid, {
    onChange: ({ outputs }) => {
      if (!isSaid && outputs.some((output) => output.status === 'running' && output.playable_at !== null)) {
        isSaid = true;
        void sayPlaying(name, ulid, client, progress);
      }
      for (const { name: output, format, progress: percent, status } of outputs) {
        progress.show(name, output ?? format, percent / 100, status);
      }
    },
  });
  if (video.status === 'failed') return { name, sources: [], poster: undefined, failure: reasonOf(video) };
  const { sources, poster_url: poster } = await sourcesOf(ulid, client);
  const failed = failedOutputs(video);
  return { name, sources, poster: poster ?? undefined, ...(failed.length > 0 && { failed }) };
}

const sourcesOf = (ulid: string, { api }: Client): Promise<components['schemas']['Sources']> =>
  bodyOf(api.GET('/api/videos/{ulid}/sources', { params: { path: { ulid } } }));

/** Prints the address of an output that plays while it is encoded. Without it, the addresses are printed at the end. */
async function sayPlaying(name: string, ulid: string, client: Client, progress: Progress): Promise<void> {
  const { sources } = await sourcesOf(ulid, client).catch(() => ({ sources: [] }));
  for (const { url, status } of sources) if (status === 'running') progress.say(`${name} plays now: ${url}`);
}

const asFailure =
  (name: string) =>
  (error: unknown): Processed => {
    if (!(error instanceof ApiError)) throw error;
    return { name, sources: [], poster: undefined, failure: error.message };
  };
