import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../client/create-client.ts';
import { smokeJourney } from '../../../tools/smoke/journey.ts';
import { createFakeService, serveUpload } from '../../client/support/fake-service.ts';

const output = { ulid: 'O', progress: 100, error_log: null };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'smoke-'));
  await writeFile(join(folder, 'clip.mp4'), '0123');
});
afterAll(() => rm(folder, { recursive: true }));

/** The result of the step that waits for the outputs, for a video with this final state. */
async function stepOf(end: object): Promise<string> {
  const service = createFakeService({
    'POST /api/templates': () => ({ status: 201, body: { data: { id: 1, ulid: 'T' } } }),
    'GET /api/videos/V': () => ({
      body: { data: { ulid: 'V', status: 'completed', streams: [], outputs: [], ...end } },
    }),
  });
  serveUpload(service);
  const clip = { path: join(folder, 'clip.mp4'), name: 'clip.mp4', sizeBytes: 4 };
  const { steps } = smokeJourney(service.url, createClient(service), clip);
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
