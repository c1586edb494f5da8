import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../../client/create-client.ts';
import { processFiles } from '../../../local/files/process-files.ts';
import { reportLines } from '../../../local/files/report-lines.ts';
import { createFakeService, serveUpload } from '../../client/support/fake-service.ts';

let folder: string;
let service: ReturnType<typeof createFakeService>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'process-files-'));
  service = createFakeService({
    'GET /api/templates': () => ({ body: { data: [{ ulid: 'T', name: 'npm start' }] } }),
    'GET /api/videos/V/sources': () => ({ body: { sources: [], poster_url: null } }),
  });
});
afterEach(() => rm(folder, { recursive: true }));

const video = { ulid: 'V', name: 'a.mp4', status: 'completed', streams: [], outputs: [] };

/** The video has one state after the other. */
function serveVideo(...states: object[]): void {
  service.handlers['GET /api/videos/V'] = () => ({ body: { data: states.length > 1 ? states.shift() : states[0] } });
}

async function processFile(text: string) {
  const path = join(folder, 'a.mp4');
  await writeFile(path, text);
  const shown: string[] = [];
  const progress = {
    show: (...said: [string, string, number, string]) => shown.push(said.join(' ')),
    say: () => {},
    stop: () => {},
  };
  const files = [{ path, name: 'a.mp4', sizeBytes: text.length }];
  return { results: await processFiles(files, createClient(service), progress), shown };
}

test('a file is uploaded, and its progress is shown until its URLs play', async () => {
  const { parts } = serveUpload(service);
  const outputs = [{ ulid: 'O', name: 'hls', format: 'hls', status: 'running', progress: 50, error_log: null }];
  serveVideo({ ...video, status: 'running', outputs }, video);
  const sources = [{ format: 'hls', name: 'hls', url: 'http://service.test/s/token/videos/V/O/master.m3u8' }];
  const poster = 'http://service.test/s/token/videos/V/thumbnails/poster.jpg';
  service.handlers['GET /api/videos/V/sources'] = () => ({ body: { sources, poster_url: poster } });
  const { results, shown } = await processFile('0123456789');
  expect(Object.fromEntries(parts)).toEqual({ 1: '0123', 2: '4567', 3: '89' });
  expect(results).toEqual([{ name: 'a.mp4', sources, poster }]);
  expect(shown).toContain('a.mp4 upload 1 ');
  expect(shown).toContain('a.mp4 hls 0.5 running');
});

test('the template is created when the user has none with its name', async () => {
  const { state } = serveUpload(service);
  serveVideo(video);
  service.handlers['GET /api/templates'] = () => ({ body: { data: [{ ulid: 'A', name: 'other' }] } });
  service.handlers['POST /api/templates'] = () => ({ status: 201, body: { data: { ulid: 'B', name: 'npm start' } } });
  await processFile('0123');
  expect(state.created).toMatchObject({ metadata: { template: 'B' } });
});

test('an upload that the API refuses is reported with its message and aborted', async () => {
  const { state } = serveUpload(service);
  service.handlers['POST /api/objstore/multipart/U/complete'] = () => ({
    status: 422,
    body: { message: 'Too small.' },
  });
  const { results } = await processFile('0123');
  expect(results).toEqual([{ name: 'a.mp4', sources: [], poster: undefined, failure: 'Too small.' }]);
  expect(state.aborted).toBe(true);
});

test.each([
  ['the source stream', { streams: [{ type: 'original', error_log: 'The file is cut off.' }] }, 'The file is cut off.'],
  [
    'an output',
    { outputs: [{ ulid: 'O', name: 'hls', format: 'hls', status: 'failed', progress: 0, error_log: 'No.' }] },
    'No.',
  ],
  ['nothing', {}, 'The service gave no reason.'],
])('a failed video reports its reason, from %s', async (_, more, failure) => {
  serveUpload(service);
  serveVideo({ ...video, status: 'failed', ...more });
  const { results } = await processFile('0123');
  expect(results).toEqual([{ name: 'a.mp4', sources: [], poster: undefined, failure }]);
});

test('a failed output is reported with its reason beside those that play', async () => {
  const output = { progress: 100, error_log: null };
  const outputs = [
    { ...output, ulid: 'O', name: 'hls', format: 'hls', status: 'completed' },
    { ...output, ulid: 'P', name: 'file', format: 'mp4', status: 'failed', error_log: 'DISK_FULL: No room.' },
  ];
  serveUpload(service);
  serveVideo({ ...video, outputs });
  const sources = [{ format: 'hls', name: 'hls', url: 'http://127.0.0.1:1/master.m3u8' }];
  service.handlers['GET /api/videos/V/sources'] = () => ({ body: { sources, poster_url: null } });
  const { results } = await processFile('0123');
  expect(results).toMatchObject([{ sources, failed: [{ name: 'file', reason: 'DISK_FULL: No room.' }] }]);
  expect(reportLines(results[0]!)).toEqual({
    stdout: ['\na.mp4 plays at, for the next 6 hours:', '  hls    http://127.0.0.1:1/master.m3u8'],
    stderr: ['a.mp4: the output file failed: DISK_FULL: No room.'],
  });
});

test('a file without playable outputs is reported with its reason only', () => {
  const nothing = { name: 'a.mp4', sources: [], poster: undefined, failure: 'The file is cut off.' };
  expect(reportLines(nothing)).toEqual({ stdout: [], stderr: ['a.mp4 failed: The file is cut off.'] });
});

test('an upload that the API refuses at its start fails only its own file', async () => {
  serveUpload(service);
  service.handlers['POST /api/objstore/multipart'] = () => ({ status: 422, body: { message: 'No.' } });
  expect((await processFile('0123')).results).toMatchObject([{ failure: 'No.' }]);
});
