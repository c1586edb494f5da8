import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Interrupted } from '../../../../client/cli/exit-code.ts';
import { prepareCli, temporaryFolder } from '../../support/run-cli.ts';

const output = { ulid: 'O', format: 'hls', name: 'hls', progress: 50, status: 'running', error_log: null, streams: [] };
const video = { ulid: 'V', status: 'completed', playable_at: null, streams: [], outputs: [output] };
const source = { format: 'hls', name: 'hls', url: 'https://edge.test/master.m3u8', status: 'completed' };
const sources = { sources: [source], poster_url: 'https://edge.test/poster.jpg', captions: [], storyboard_url: null };

async function prepare(text = '0123456789') {
  const cli = prepareCli();
  const folder = temporaryFolder();
  const file = join(folder, 'a.mp4');
  await writeFile(file, text);
  const serveVideo = (changes: object, found: object = sources): void => {
    cli.service.handlers['GET /api/videos/V'] = () => ({ body: { data: { ...video, ...changes } } });
    cli.service.handlers['GET /api/videos/V/sources'] = () => ({ body: found });
  };
  const sent = () => cli.service.requests.filter((name) => name.startsWith('PUT')).toSorted();
  return { ...cli, folder, file, serveVideo, sent, upload: (...more: string[]) => cli.cli(['upload', file, ...more]) };
}

test('a file is uploaded with the template and the external IDs', async () => {
  const { upload, parts, state, file } = await prepare();
  const ended = await upload('-t', 'web', '--external-user-id', 'crm-1', '--tag', 'sea', '--metadata', 'a=b');
  expect(ended).toMatchObject({ code: 0, stdout: `${file}: uploaded as V\n`, stderr: '' });
  expect(Object.fromEntries(parts)).toEqual({ 1: '0123', 2: '4567', 3: '89' });
  expect(state.created).toMatchObject({
    filename: 'a.mp4',
    metadata: { template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6', externalUserId: 'crm-1', metadata: { a: 'b' }, tags: ['sea'] },
  });
});

test.each([
  [['--rotate', '90'], { rotate: 90 }],
  [['--picture', '{"crop":{"top":"10%"}}'], { crop: { top: '10%' } }],
])('%j changes the picture', async (options, picture) => {
  const { upload, state } = await prepare();
  expect((await upload('-t', 'web', ...options)).code).toBe(0);
  expect(state.created).toMatchObject({ metadata: { picture } });
});

test('--tracks chooses the tracks of the file', async () => {
  const { upload, state } = await prepare();
  expect((await upload('-t', 'web', '--tracks', '{"video":1}')).code).toBe(0);
  expect(state.created).toMatchObject({ metadata: { tracks: { video: 1 } } });
});

test.each([
  [['--rotate', '45'], '--rotate is 0, 90, 180 or 270'],
  [['--picture', 'rotate'], '--picture is a JSON object'],
  [['--picture', '90'], '--picture is a JSON object'],
  [['--picture', '{}', '--rotate', '90'], '--rotate is a part of --picture'],
])('%j is refused before anything is uploaded', async (options, message) => {
  const { upload, sent } = await prepare();
  const { code, stderr } = await upload('-t', 'web', ...options);
  expect([code, sent()]).toEqual([2, []]);
  expect(stderr).toContain(message);
});

test('--wait announces early playback, and prints the playback URLs in the end', async () => {
  const { upload, serveVideo, service, file } = await prepare();
  const early = { ...sources, sources: [{ ...source, status: 'running' }] };
  serveVideo({ status: 'running', playable_at: '2026-11-22T10:00:00Z' }, early);
  const read = service.handlers['GET /api/videos/V/sources']!;
  service.handlers['GET /api/videos/V/sources'] = (request) => {
    serveVideo({});
    return read(request);
  };
  const ended = await upload('-t', '7', '-w', '--json');
  expect(ended.code).toBe(0);
  expect(ended.json()).toEqual([
    { type: 'uploaded', file, ulid: 'V' },
    { type: 'playable', file, ulid: 'V', sources: early.sources },
    { type: 'completed', file, ulid: 'V', sources: [source], poster_url: sources.poster_url, failed_outputs: [] },
  ]);
});

test('for people, the lines say where the video plays', async () => {
  const { upload, serveVideo, file } = await prepare();
  const failed = { ...output, name: 'mp4', status: 'failed', error_log: 'ENCODER: no space' };
  serveVideo({ outputs: [output, failed] });
  const { code, stdout, stderr } = await upload('-t', 'Web', '--wait');
  expect(code).toBe(0);
  expect(stdout).toBe(`${file}: uploaded as V\n${file}: ready (V)\n  hls  https://edge.test/master.m3u8\n`);
  expect(stderr).toBe(`${file}: the output mp4 failed: ENCODER: no space\n`);
});

test('--wait goes on after a poll that API Gateway throttles', async () => {
  const { upload, serveVideo, service, file } = await prepare();
  service.handlers['GET /api/videos/V'] = () => {
    serveVideo({});
    return { status: 503, body: { message: 'Service Unavailable' } };
  };
  const { code, stdout, stderr } = await upload('-t', 'Web', '--wait');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`${file}: ready (V)`);
});

test('after an error that ends the command, --wait waits for no other video', async () => {
  const { cli, file, folder, service, serveVideo } = await prepare();
  const other = join(folder, 'b.mp4');
  await writeFile(other, 'other');
  serveVideo({ status: 'running' });
  const isFollowed = Promise.withResolvers<void>();
  const read = service.handlers['GET /api/videos/V']!;
  service.handlers['GET /api/videos/V'] = (request) => {
    isFollowed.resolve();
    return read(request);
  };
  const create = service.handlers['POST /api/objstore/multipart']!;
  service.handlers['POST /api/objstore/multipart'] = async (request) => {
    const { filename } = (await request.clone().json()) as { filename: string };
    if (filename === 'a.mp4') return create(request);
    await isFollowed.promise;
    return { status: 401, body: { message: 'Unauthenticated.' } };
  };
  const ended = await cli(['upload', file, other, '-t', 'Web', '--wait']);
  expect(ended).toMatchObject({ code: 3, stdout: `${file}: uploaded as V\n` });
  expect(ended.stderr).toMatch(/^\S+ does not accept the token\./);
});

test('a failed video is exit code 1 with its reason', async () => {
  const { upload, serveVideo, file } = await prepare();
  serveVideo({ status: 'failed', outputs: [{ ...output, error_log: 'INPUT_NOT_MEDIA: no video' }] });
  const ended = await upload('-t', 'Web', '-w', '--json');
  expect(ended).toMatchObject({
    code: 1,
    stderr: `${file} failed: The file is not a video or audio file (INPUT_NOT_MEDIA). no video\n`,
  });
  expect(ended.json().at(-1)).toEqual({ type: 'failed', file, ulid: 'V', error: 'INPUT_NOT_MEDIA: no video' });
});

test('an interrupted upload continues with the missing parts when the command is repeated', async () => {
  const { upload, service, stop, parts, sent, home, file } = await prepare();
  const put = service.handlers['PUT /store/2']!;
  service.handlers['PUT /store/2'] = (request) => {
    stop.abort(new Interrupted('SIGINT'));
    return put(request);
  };
  const first = await upload('-t', 'Web', '--parallel-parts', '1');
  expect(first).toMatchObject({ code: 130, stdout: '' });
  expect(first.stderr).toBe('What was uploaded is kept for 7 days. Repeat the command to continue.\nInterrupted.\n');
  const uploadedBefore = [...parts.keys()];

  // another process
  const again = prepareCli();
  again.service.handlers['GET /api/objstore/multipart/U'] = service.handlers['GET /api/objstore/multipart/U']!;
  service.requests.length = 0;
  const second = await again.cli(['upload', file, '-t', 'Web'], { env: { HOME: home } });
  expect(second).toMatchObject({ code: 0, stdout: `${file}: uploaded as V\n` });
  expect(second.stderr).toMatch(/a\.mp4: continues at \d\d%/);
  const missing = [1, 2, 3].filter((number) => !uploadedBefore.includes(number));
  expect([...again.parts.keys()].toSorted()).toEqual(missing);
  expect(again.service.requests).not.toContain('POST /api/objstore/multipart');
  expect(sent()).toEqual([]);
});

test('a file that was changed since is uploaded from the beginning, and its old upload is discarded', async () => {
  const { upload, service, state, file, sent } = await prepare();
  const put = service.handlers['PUT /store/3']!;
  service.handlers['PUT /store/3'] = () => ({ status: 403 });
  service.handlers['GET /api/objstore/multipart/U/3'] = () => ({ status: 409, body: { message: 'No.' } });
  expect(await upload('-t', 'Web')).toMatchObject({ code: 1, stderr: `${file} failed: No.\n` });
  service.handlers['GET /api/objstore/multipart/U/3'] = () => ({ body: { url: `${service.url}/store/3` } });
  service.handlers['PUT /store/3'] = put;
  await utimes(file, 1, 1);
  service.requests.length = 0;
  const ended = await upload('-t', 'Web');
  expect(ended.stderr).toContain('was changed since its upload began. It is uploaded from the beginning.');
  expect(ended.code).toBe(0);
  expect(state.aborted).toBe(true);
  expect(sent()).toHaveLength(3);
});

test('a repeated command uploads only what is left, until all files are uploaded', async () => {
  const { cli, file, folder, service, serveVideo } = await prepare();
  const other = join(folder, 'b.mp4');
  await writeFile(other, 'other');
  const create = service.handlers['POST /api/objstore/multipart']!;
  service.handlers['POST /api/objstore/multipart'] = async (request) => {
    const { filename } = (await request.clone().json()) as { filename: string };
    return filename === 'b.mp4' ? { status: 402, body: { message: 'No bytes are left.' } } : create(request);
  };
  const command = ['upload', file, other, '-t', 'Web'];
  const first = await cli(command);
  expect(first).toMatchObject({ code: 1, stdout: `${file}: uploaded as V\n` });
  expect(first.stderr).toBe(`${other} failed: The quota does not allow this: No bytes are left.\n`);

  serveVideo({});
  service.handlers['POST /api/objstore/multipart'] = create;
  const second = await cli(command);
  expect(second.code).toBe(0);
  expect(second.stdout).toContain(`${file}: already uploaded by an earlier command as V\n`);
  expect(second.stdout).toContain(`${other}: uploaded as V\n`);

  service.requests.length = 0;
  await cli(command);
  expect(service.requests.filter((name) => name === 'POST /api/objstore/multipart')).toHaveLength(2);
});

test('an upload that the service has removed begins anew', async () => {
  const { upload, service, file, sent } = await prepare();
  const complete = service.handlers['POST /api/objstore/multipart/U/complete']!;
  service.handlers['POST /api/objstore/multipart/U/complete'] = () => ({ status: 422, body: { message: 'Bad.' } });
  expect((await upload('-t', 'Web')).code).toBe(1);
  service.handlers['POST /api/objstore/multipart/U/complete'] = complete;
  service.handlers['GET /api/objstore/multipart/U'] = () => ({ status: 404, body: { message: 'Not found.' } });
  service.requests.length = 0;
  expect(await upload('-t', 'Web')).toMatchObject({ code: 0, stdout: `${file}: uploaded as V\n` });
  expect(service.requests).toContain('POST /api/objstore/multipart');
  expect(sent()).toHaveLength(3);
});

test('an upload that became a video after its command was killed is not repeated', async () => {
  const { upload, service, file, serveVideo, sent } = await prepare();
  const complete = service.handlers['POST /api/objstore/multipart/U/complete']!;
  service.handlers['POST /api/objstore/multipart/U/complete'] = () => ({ status: 422, body: { message: 'Bad.' } });
  await upload('-t', 'Web');
  service.handlers['POST /api/objstore/multipart/U/complete'] = complete;
  serveVideo({});
  service.requests.length = 0;
  expect(await upload('-t', 'Web')).toMatchObject({
    code: 0,
    stdout: `${file}: already uploaded by an earlier command as V\n`,
  });
  expect(sent()).toEqual([]);
});

test('--restart uploads again what an earlier command has uploaded', async () => {
  const { cli, file, folder, service } = await prepare();
  const empty = join(folder, 'b.mp4');
  await writeFile(empty, 'b');
  service.handlers['POST /api/objstore/multipart/U/complete'] = () => ({ status: 422, body: { message: 'Bad.' } });
  await cli(['upload', file, '-t', 'Web']);
  service.requests.length = 0;
  await cli(['upload', file, '-t', 'Web', '--restart']);
  expect(service.requests).toContain('DELETE /api/objstore/multipart/U');
  expect(service.requests).toContain('POST /api/objstore/multipart');
});

test.each([
  [['/nowhere/a.mp4'], "There is no file '/nowhere/a.mp4'."],
  [['/'], "'/' is a folder. For a folder: open-video-service watch '/'"],
  [['/dev/null'], "'/dev/null' is not a regular file."],
])('%j is wrong usage, found before anything is uploaded', async (files, message) => {
  const { cli, service } = prepareCli();
  expect(await cli(['upload', ...files, '-t', 'Web'])).toMatchObject({ code: 2, stderr: `${message}\n` });
  expect(service.requests).toEqual([]);
});

test('an empty file and a file that is named twice are wrong usage', async () => {
  const { cli, upload, file } = await prepare('');
  expect(await upload('-t', 'Web')).toMatchObject({ code: 2, stderr: `'${file}' is empty.\n` });
  await writeFile(file, 'x');
  const twice = await cli(['upload', file, file, '-t', 'Web']);
  expect(twice).toMatchObject({ code: 2, stderr: `'${file}' is the same file as '${file}'.\n` });
});
