import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { bodyOf } from '../../client/api.ts';
import { ApiError, errorOf } from '../../client/api-error.ts';
import type { components } from '../../client/api-types.ts';
import type { Client } from '../../client/create-client.ts';
import { failedOutputs, reasonOf } from '../../client/failure-reasons.ts';
import type { SourceFile } from '../../local/files/source-files.ts';
import { day } from '../../shared/clock.ts';
import { checkImage, checkPlayback, untilStopped } from './check-playback.ts';

/** A step of the smoke test; `run` returns a summary of what it found. */
export type Step = { name: string; run(): Promise<string> };

const query: components['schemas']['TemplateQuery'] = {
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
  const { api } = client;
  let template: { id: number; ulid: string } | undefined;
  let video: { ulid: string } | undefined;
  const made = { template: () => need(template), video: () => need(video) };

  const readSources = () => bodyOf(api.GET('/api/videos/{ulid}/sources', { params: { path: made.video() } }));

  const removeVideo = async () => {
    if (video) await api.DELETE('/api/videos/{ulid}', { params: { path: video } });
    video = undefined;
  };
  const removeTemplate = async () => {
    if (template) await api.DELETE('/api/templates/{id}', { params: { path: { id: String(template.id) } } });
    template = undefined;
  };

  const steps: Step[] = [
    {
      name: 'the service answers',
      run: async () => {
        const response = await fetch(`${apiUrl}/health`);
        if (!response.ok) throw await errorOf(response);
        return ((await response.json()) as { status: string }).status;
      },
    },
    { name: 'the token is valid', run: async () => (await bodyOf(api.GET('/api/me'))).email },
    {
      name: 'a template can be created',
      run: async () => {
        const body = { name: `smoke ${randomUUID()}`, query };
        template = (await bodyOf(api.POST('/api/templates', { body }))).data;
        return template.ulid;
      },
    },
    {
      name: 'a file can be uploaded in parts',
      run: async () => {
        const { path, name } = clip;
        video = await client.upload(await openAsBlob(path), {
          filename: basename(name),
          template: made.template().ulid,
        });
        return `${clip.sizeBytes} bytes`;
      },
    },
    {
      name: 'it becomes a video, and all outputs are completed',
      run: async () => {
        const seen = await client.waitForVideo(made.video().ulid);
        if (seen.status !== 'completed') throw new Error(`the video is ${seen.status}: ${reasonOf(seen)}`);
        const failed = failedOutputs(seen).map(({ name, reason }) => `the output ${name} failed: ${reason}`);
        if (failed.length > 0) throw new Error(failed.join(' '));
        return seen.outputs.map(({ format }) => format).join(', ');
      },
    },
    {
      name: 'every output plays with its signed URL, and a modified URL is refused',
      run: async () => {
        const { sources, poster_url: poster } = await readSources();
        if (!poster) throw new Error('there is no poster');
        if (sources.length !== query.outputs?.length) throw new Error(`there are ${sources.length} sources`);
        const seen = [];
        for (const source of sources) seen.push(`${source.format}: ${await checkPlayback(source)}`);
        seen.push(`poster: ${await checkImage(poster)}`);
        return seen.join('; ');
      },
    },
    {
      name: 'usage is counted',
      run: async () => {
        const today = day();
        const { data } = await bodyOf(api.GET('/api/usage', { params: { query: { from: today, to: today } } }));
        const bytes = data.find(({ metric }) => metric === 'upload_bytes')?.value ?? 0;
        if (bytes < clip.sizeBytes) throw new Error(`usage has only ${bytes} upload bytes today`);
        return data.map(({ metric, value }) => `${metric} ${value}`).join(', ');
      },
    },
    {
      name: 'a deleted video disappears at once and stops playing within a minute',
      run: async () => {
        const { ulid } = made.video();
        const urls = (await readSources()).sources.map(({ url }) => url);
        await removeVideo();
        const call = api.GET('/api/videos/{ulid}', { params: { path: { ulid } } });
        const outcome = await call.catch((error: unknown) => error);
        if (!(outcome instanceof ApiError && outcome.status === 404)) throw new Error('the video can still be read');
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
