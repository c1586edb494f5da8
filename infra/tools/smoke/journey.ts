import { randomUUID } from 'node:crypto';
import { ApiRefused, type Client, type Video } from '../../client/api-client.ts';
import { failedOutputs, reasonOf } from '../../client/failure-reasons.ts';
import type { SourceFile } from '../../local/files/source-files.ts';
import { checkImage, checkPlayback, untilStopped } from './check-playback.ts';

/** A step of the smoke test; `run` returns a summary of what it found. */
export type Step = { name: string; run(): Promise<string> };

const query = {
  version: 1,
  video: [
    { name: 'v360', codec: 'h264', height: 360, bitrate: '800k', preset: 'veryfast' },
    { name: 'v240', codec: 'h264', height: 240, bitrate: '400k', preset: 'veryfast' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '96k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
    { name: 'mp4', format: 'mp4', video: ['v360'] },
  ],
  thumbnails: { poster: { at: '10%', width: 320 } },
};

/**
 * Takes a video through a stage as a client does, and removes everything that it created. Each step depends on the
 * previous ones; `cleanUp` removes what is left when one of them fails.
 */
export function smokeJourney(
  apiUrl: string,
  client: Client,
  clip: SourceFile,
): { steps: Step[]; cleanUp(): Promise<void> } {
  const { ask } = client;
  let template: { id: number; ulid: string } | undefined;
  let video: Pick<Video, 'ulid'> | undefined;
  const made = { template: () => need(template), video: () => need(video) };

  const removeVideo = async () => {
    if (video) await ask('DELETE', `/api/videos/${video.ulid}`);
    video = undefined;
  };
  const removeTemplate = async () => {
    if (template) await ask('DELETE', `/api/templates/${template.id}`);
    template = undefined;
  };

  const steps: Step[] = [
    {
      name: 'the service answers',
      run: async () => {
        const answer = await fetch(`${apiUrl}/health`);
        const { status, message = '' } = (await answer.json()) as { status: string; message?: string };
        if (!answer.ok) throw new ApiRefused(answer.status, message);
        return status;
      },
    },
    { name: 'the token is valid', run: async () => (await client.me()).email },
    {
      name: 'a template can be created',
      run: async () => {
        const body = { name: `smoke ${randomUUID()}`, query };
        template = (await ask<{ data: { id: number; ulid: string } }>('POST', '/api/templates', body)).data;
        return template.ulid;
      },
    },
    {
      name: 'a file can be uploaded in parts',
      run: async () => {
        video = { ulid: await client.upload(clip, made.template().ulid, () => {}) };
        return `${clip.sizeBytes} bytes`;
      },
    },
    {
      name: 'it becomes a video, and all outputs are completed',
      run: async () => {
        const seen = await client.follow(made.video().ulid, () => {});
        if (seen.status !== 'completed') throw new Error(`the video is ${seen.status}: ${reasonOf(seen)}`);
        const failed = failedOutputs(seen).map(({ name, reason }) => `the output ${name} failed: ${reason}`);
        if (failed.length > 0) throw new Error(failed.join(' '));
        return seen.outputs.map(({ format }) => format).join(', ');
      },
    },
    {
      name: 'every output plays with its signed URL, and a modified URL is refused',
      run: async () => {
        const { sources, poster_url: poster } = await client.sources(made.video().ulid);
        if (!poster) throw new Error('there is no poster');
        if (sources.length !== query.outputs.length) throw new Error(`there are ${sources.length} sources`);
        const seen = [];
        for (const source of sources) seen.push(`${source.format}: ${await checkPlayback(source)}`);
        seen.push(`poster: ${await checkImage(poster)}`);
        return seen.join('; ');
      },
    },
    {
      name: 'usage is counted',
      run: async () => {
        const day = new Date().toISOString().slice(0, 10);
        type Usage = { metric: string; value: number };
        const { data } = await ask<{ data: Usage[] }>('GET', `/api/usage?from=${day}&to=${day}`);
        const bytes = data.find(({ metric }) => metric === 'upload_bytes')?.value ?? 0;
        if (bytes < clip.sizeBytes) throw new Error(`usage has only ${bytes} upload bytes today`);
        return data.map(({ metric, value }) => `${metric} ${value}`).join(', ');
      },
    },
    {
      name: 'a deleted video disappears at once and stops playing within a minute',
      run: async () => {
        const { ulid } = made.video();
        const urls = (await client.sources(ulid)).sources.map(({ url }) => url);
        await removeVideo();
        const answer = await client.getVideo(ulid).catch((error: unknown) => error);
        if (!(answer instanceof ApiRefused && answer.status === 404)) throw new Error('the video can still be read');
        return `stopped after ${await untilStopped(urls)} s`;
      },
    },
    {
      name: 'an unused template can be deleted',
      run: async () => {
        await removeTemplate();
        return '204';
      },
    },
  ];
  return {
    steps,
    cleanUp: async () => {
      for (const remove of [removeVideo, removeTemplate]) await remove().catch(() => {});
    },
  };
}

function need<Made>(made: Made | undefined): Made {
  if (made === undefined) throw new Error('an earlier step created nothing');
  return made;
}
