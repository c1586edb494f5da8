import { ApiRefused, type Client, type Source } from '../../client/api-client.ts';
import { type FailedOutput, failedOutputs, reasonOf } from '../../client/failure-reasons.ts';
import type { Progress } from './progress.ts';
import type { SourceFile } from './source-files.ts';

/** The result of a file: URLs that play it, or the reason of its failure. `failed` has the outputs that failed. */
export type Processed = {
  name: string;
  sources: Source[];
  poster: string | undefined;
  failure?: string;
  failed?: FailedOutput[];
};

/** A fixed ladder with fast presets, in every format. */
const template = {
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
  const ulid = await client.ensureTemplate(template.name, template.query);
  const results: Promise<Processed>[] = [];
  for (const file of files) {
    const { name, sizeBytes } = file;
    let sentBytes = 0;
    progress.show(`${name} upload`, 0, '');
    const uploaded = client.upload(file, ulid, (bytes) => {
      sentBytes += bytes;
      progress.show(`${name} upload`, sentBytes / sizeBytes, '');
    });
    results.push(uploaded.then((video) => followVideo(name, video, client, progress)).catch(asFailure(name)));
    await uploaded.catch(() => {});
  }
  return Promise.all(results);
}

async function followVideo(name: string, ulid: string, client: Client, progress: Progress): Promise<Processed> {
  const video = await client.follow(ulid, (seen) => {
    for (const output of seen.outputs) {
      const { format, progress: percent, status } = output;
      progress.show(`${name} ${output.name ?? format}`, percent / 100, status);
    }
  });
  if (video.status === 'failed') return { name, sources: [], poster: undefined, failure: reasonOf(video) };
  const { sources, poster_url: poster } = await client.sources(ulid);
  const failed = failedOutputs(video);
  return { name, sources, poster: poster ?? undefined, ...(failed.length > 0 && { failed }) };
}

const asFailure =
  (name: string) =>
  (error: unknown): Processed => {
    if (!(error instanceof ApiRefused)) throw error;
    return { name, sources: [], poster: undefined, failure: error.message };
  };
