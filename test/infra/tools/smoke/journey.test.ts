import { expect, test } from 'vitest';
import type { Client, Video } from '../../../../infra/client/api-client.ts';
import { smokeJourney } from '../../../../infra/tools/smoke/journey.ts';

const clip = { path: '/clip.mp4', name: 'clip.mp4', sizeBytes: 1000 };
const output = { ulid: 'O', progress: 100, error_log: null };

/** The result of the step that waits for the outputs, for a video with this final state. */
async function stepOf(end: Partial<Video>): Promise<string> {
  const video: Video = { ulid: 'V', name: 'clip.mp4', status: 'completed', streams: [], outputs: [], ...end };
  const client = {
    ask: async () => ({ data: { id: 1, ulid: 'T' } }),
    upload: async () => 'V',
    follow: async () => video,
  } as unknown as Client;
  const { steps } = smokeJourney('http://127.0.0.1:1', client, clip);
  for (const name of ['a template can be created', 'a file can be uploaded in parts']) {
    await steps.find((step) => step.name === name)!.run();
  }
  return steps.find(({ name }) => name === 'it becomes a video, and all outputs are completed')!.run();
}

test('the smoke test reports why an output failed', async () => {
  const outputs = [
    { ...output, name: 'hls', format: 'hls', status: 'completed' },
    { ...output, name: 'mp4', format: 'mp4', status: 'failed', error_log: 'DISK_FULL: No room.' },
  ];
  await expect(stepOf({ outputs })).rejects.toThrow('the output mp4 failed: DISK_FULL: No room.');
});

test('the smoke test reports why a video without outputs failed', async () => {
  const streams = [{ type: 'original', error_log: 'INPUT_NOT_MEDIA: This is no video.' }];
  await expect(stepOf({ status: 'failed', streams })).rejects.toThrow(
    'the video is failed: INPUT_NOT_MEDIA: This is no video.',
  );
});

test('the smoke test lists the outputs when all are completed', async () => {
  const outputs = [{ ...output, name: 'hls', format: 'hls', status: 'completed' }];
  expect(await stepOf({ outputs })).toBe('hls');
});
