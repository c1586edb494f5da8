import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { prepareCli, temporaryFolder } from '../../support/run-cli.ts';

const ulid = '01K9Z3P6M8N9P0Q1R2S3T4V5W6';
const item = { ulid, status: 'completed', duration: 61.5, created_at: '2026-11-22T10:00:00.000000Z', name: 'Holiday' };
const description = { tags: ['sea', 'sun'], metadata: { album: 'Summer' }, expires_at: null };
const video = { ...item, ...description, streams: [], outputs: [], template: { name: 'Web' } };
const source = { format: 'hls', name: 'hls', url: 'https://edge.test/master.m3u8', status: 'completed' };

function prepare() {
  const cli = prepareCli();
  Object.assign(cli.service.handlers, {
    [`GET /api/videos/${ulid}`]: () => ({ body: { data: video } }),
    [`GET /api/videos/${ulid}/sources`]: () => ({ body: { sources: [source], poster_url: null } }),
    [`GET /api/videos/${ulid}/sources?expires_in=60`]: () => ({ body: { sources: [source], poster_url: null } }),
    [`GET /api/videos/${ulid}/original?expires_in=600`]: () => ({ body: { url: 'https://store.test/a', size: 1 } }),
    [`DELETE /api/videos/${ulid}`]: () => ({ status: 204 }),
    [`POST /api/videos/${ulid}/reprocess`]: async (request: Request) => ({
      status: 202,
      body: { data: { ...video, status: 'pending', seen: await request.json() } },
    }),
  });
  return cli;
}

const list = (query: string) => `GET /api/videos?created_from=1970-01-01&${query}`;

test('videos are listed, page by page', async () => {
  const { cli, service } = prepare();
  service.handlers[list('per_page=100')] = () => ({
    body: { data: Array(100).fill(item), meta: { next_cursor: 'C', per_page: 100 } },
  });
  service.handlers[list('per_page=50&cursor=C')] = () => ({
    body: { data: [{ ...item, duration: null }], meta: { next_cursor: null, per_page: 50 } },
  });
  const { code, stdout, stderr } = await cli(['videos', '--limit', '150']);
  const lines = stdout.trimEnd().split('\n');
  expect([code, stderr, lines.length]).toEqual([0, '', 102]);
  expect(lines[0]).toBe('ULID                        STATUS  LENGTH  CREATED (UTC)     NAME');
  expect(lines[1]).toBe(`${ulid}  Ready   1:02    2026-11-22 10:00  Holiday`);
  expect(lines.at(-1)).toBe(`${ulid}  Ready   -       2026-11-22 10:00  Holiday`);
});

test('a list of videos with several tags', async () => {
  const { cli, service } = prepare();
  service.handlers[list('tag=sea&tag=sun&per_page=20')] = () => ({
    body: { data: [item], meta: { next_cursor: null } },
  });
  expect((await cli(['videos', '--tag', 'sea', '--tag', 'sun'])).code).toBe(0);
});

test.each<[string[], object]>([
  [['--name', 'Beach', '--tag', 'a', '--tag', 'b'], { name: 'Beach', tags: ['a', 'b'] }],
  [['--no-tags', '--metadata', 'a=b=c', '--metadata', 'old='], { metadata: { a: 'b=c', old: null }, tags: [] }],
  [['--expires', '2099-01-01T00:00Z'], { expires_at: '2099-01-01T00:00Z' }],
  [['--expires', 'never'], { expires_at: null }],
])('videos set %j sends %j', async (options, body) => {
  const { cli, service } = prepare();
  let seen: unknown;
  service.handlers[`PUT /api/videos/${ulid}`] = async (request: Request) => {
    seen = await request.json();
    return { body: { data: video } };
  };
  const { code, stdout } = await cli(['videos', 'set', ulid, ...options]);
  expect([code, seen]).toEqual([0, body]);
  expect(stdout).toBe(`${ulid}  Holiday\ntags   sea, sun\nalbum  Summer\n`);
});

test('a list has filters, and its JSON the cursor that continues it', async () => {
  const { cli, service } = prepare();
  service.handlers[list('status=failed&q=holi&template_id=7&external_user_id=crm-1&per_page=1')] = () => ({
    body: { data: [item], meta: { next_cursor: 'C', per_page: 1 } },
  });
  const filters = ['--status', 'failed', '--search', 'holi', '-t', 'Web', '--external-user-id', 'crm-1'];
  const ended = await cli(['videos', ...filters, '--limit', '1', '--json']);
  expect(ended.json()).toEqual([{ data: [item], next_cursor: 'C' }]);
});

test('a search in captions says so', async () => {
  const { cli, service } = prepare();
  service.handlers[list('q=holi&in=transcript&per_page=20')] = () => ({
    body: { data: [item], meta: { next_cursor: null, per_page: 20 } },
  });
  const ended = await cli(['videos', '--search', 'holi', '--transcripts', '--json']);
  expect(ended.json()).toEqual([{ data: [item], next_cursor: null }]);
});

test.each([
  [['videos', '--transcripts'], '--transcripts needs --search WORDS.'],
  [['videos', '--status', 'done'], '--status is one of waiting, preparing'],
  [['videos', '--limit', '0'], "--limit is a whole number from 1 to 10000, not '0'."],
  [['videos', 'set', ulid], 'There is nothing to change'],
  [['videos', 'set', ulid, '--metadata', 'x'], "--metadata is KEY=VALUE, not 'x'."],
  [['videos', 'set', ulid, '--tag', ''], '--tag has no value.'],
  [['videos', 'get', 'V'], "'V' is not the ULID of a video."],
  [['videos', 'delete', ulid], 'Without a terminal, videos are deleted with --yes only.'],
])('%j is wrong usage', async (argv, message) => {
  const ended = await prepare().cli(argv);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(message);
});

test('a file is uploaded as the source of a video', async () => {
  const { cli, state } = prepare();
  const file = join(temporaryFolder(), 'new.mp4');
  await writeFile(file, '0123456789');
  const ended = await cli(['videos', 'replace', ulid.toLowerCase(), file]);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(ended.stdout).toBe(`${file}: uploaded. ${ulid} plays as before until the new outputs are complete.\n`);
  expect(state.created).toMatchObject({ filename: 'new.mp4', metadata: { replaces: ulid } });
  expect(state.completed).toBeDefined();
});

test('the URL of the uploaded file is printed', async () => {
  const { cli } = prepare();
  expect((await cli(['videos', 'original', ulid, '--expires-in', '600'])).stdout).toBe('https://store.test/a\n');
  const ended = await cli(['videos', 'original', ulid, '--expires-in', '600', '--json']);
  expect(ended.json()).toEqual([{ url: 'https://store.test/a', size: 1 }]);
});

test('a video is shown with its URLs, also while no proxy node is active', async () => {
  const { cli, service } = prepare();
  const shown = await cli(['videos', 'get', ulid.toLowerCase()]);
  expect(shown.stdout).toBe(
    [
      `${ulid}  Holiday`,
      'status    Ready',
      'length    1:02',
      'created   2026-11-22T10:00:00.000000Z',
      'template  Web',
      'tags      sea, sun',
      'album     Summer',
      '  hls  https://edge.test/master.m3u8',
      '',
    ].join('\n'),
  );
  const headers = { 'retry-after': '60' };
  service.handlers[`GET /api/videos/${ulid}/sources`] = () => ({
    status: 503,
    headers,
    body: { message: 'No proxy.' },
  });
  service.requests.length = 0;
  const [record] = (await cli(['videos', 'get', ulid, '--json'])).json();
  expect(record).toEqual({ ...video, sources: [], poster_url: null });
  expect(service.requests).toEqual([`GET /api/videos/${ulid}`, `GET /api/videos/${ulid}/sources`]);
});

test('a completed video without URLs is reported at once, while no proxy node is active', async () => {
  const { cli, service } = prepare();
  const headers = { 'retry-after': '60' };
  service.handlers[`GET /api/videos/${ulid}/sources`] = () => ({
    status: 503,
    headers,
    body: { message: 'No proxy.' },
  });
  const ended = await cli(['videos', 'wait', ulid]);
  expect(ended).toMatchObject({ code: 0, stdout: `${ulid}: ready (${ulid})\n` });
  expect(ended.stderr).toBe(`${ulid}: no playback URLs yet: No proxy.\n`);
  expect(service.requests).toEqual([`GET /api/videos/${ulid}`, `GET /api/videos/${ulid}/sources`]);
});

test('playback URLs have a validity', async () => {
  const ended = await prepare().cli(['videos', 'sources', ulid, '--expires-in', '60']);
  expect(ended).toMatchObject({ code: 0, stdout: '  hls  https://edge.test/master.m3u8\n' });
});

test('several videos are waited for, and one that does not exist is a failure', async () => {
  const { cli, service } = prepare();
  const other = ulid.replace('01K', '01J');
  service.handlers[`GET /api/videos/${other}`] = () => ({ status: 410, body: { message: 'Gone.' } });
  const ended = await cli(['videos', 'wait', ulid, other, '--json']);
  expect(ended.code).toBe(1);
  expect(ended.json()).toEqual([
    { type: 'failed', ulid: other, error: 'Gone.' },
    { type: 'completed', ulid, sources: [source], poster_url: null, failed_outputs: [] },
  ]);
});

test('when the token is refused, no video is waited for any more', async () => {
  const { cli, service } = prepare();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 20 });
  const other = ulid.replace('01K', '01J');
  service.handlers[`GET /api/videos/${ulid}`] = () => ({ body: { data: { ...video, status: 'running' } } });
  service.handlers[`GET /api/videos/${other}`] = () => ({ status: 401, body: { message: 'Unauthenticated.' } });
  const ended = await cli(['videos', 'wait', ulid, other]);
  expect(ended).toMatchObject({ code: 3, stdout: '' });
  expect(ended.stderr).toMatch(/^https:\/\/service\.test does not accept the token\. .+\n$/);
  const { length } = service.requests;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.requests).toHaveLength(length);
});

test('a clip of a video is made', async () => {
  const { cli, service } = prepare();
  const made = '01KAH0Z5M2P4R6T8W0Y2A4C6E9';
  let sent: unknown;
  service.handlers[`POST /api/videos/${ulid}/clips`] = async (request: Request) => {
    sent = await request.json();
    return { status: 201, body: { data: { ulid: made, name: 'Goal', status: 'pending' } } };
  };
  expect(await cli(['videos', 'clip', ulid, '--start', '1.5', '--end', '4', '--name', 'Goal'])).toMatchObject({
    code: 0,
    stdout: `Goal: ${made} is being made\n`,
  });
  expect(sent).toEqual({ start_seconds: 1.5, end_seconds: 4, name: 'Goal' });
});

test.each([
  [[], 'Give --start, --end or both.'],
  [['--start', '1s'], "--start is a number of seconds, such as 12.5, not '1s'."],
  [['--start', '4', '--end', '3'], '--end must be after --start.'],
])('a clip with %j is an error', async (options, message) => {
  const { cli, service } = prepare();
  const { code, stderr } = await cli(['videos', 'clip', ulid, ...options]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(service.requests).toEqual([]);
});

test('a video is processed again', async () => {
  const { cli } = prepare();
  expect(await cli(['videos', 'reprocess', ulid, '--force'])).toMatchObject({
    code: 0,
    stdout: `${ulid}: processed again\n`,
  });
  expect((await cli(['videos', 'reprocess', ulid, '--wait'])).stdout).toContain(`${ulid}: ready`);
});

test('videos are deleted after a question, or with --yes', async () => {
  const { cli, service } = prepare();
  const replies = ['n', 'y'];
  const ask = (async () => replies.shift()!) as never;
  expect((await cli(['videos', 'delete', ulid], { ask })).code).toBe(1);
  expect(service.requests).toEqual([]);
  expect(await cli(['videos', 'delete', ulid], { ask })).toMatchObject({ code: 0, stdout: `${ulid}: deleted\n` });
  expect((await cli(['videos', 'delete', ulid, '--yes', '--json'])).json()).toEqual([{ type: 'deleted', ulid }]);
});

test('an error that ends the command is printed after the videos that were deleted beside it', async () => {
  const { cli, service } = prepare();
  const other = ulid.replace('01K', '01J');
  const refused = Promise.withResolvers<void>();
  service.handlers[`DELETE /api/videos/${other}`] = () => {
    refused.resolve();
    return { status: 403, body: { message: 'Read only.' } };
  };
  service.handlers[`DELETE /api/videos/${ulid}`] = async () => {
    await refused.promise;
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    return { status: 204 };
  };
  expect(await cli(['videos', 'delete', ulid, other, '--yes'])).toMatchObject({
    code: 3,
    stdout: `${ulid}: deleted\n`,
    stderr: 'The token may not do this: Read only.\n',
  });
});

test('templates are listed and made of presets', async () => {
  const { cli, service } = prepare();
  const { stdout } = await cli(['templates']);
  expect(stdout).toContain(`${ulid}  7   Web\n`);
  expect(stdout).toContain('  hls-auto  HLS auto\n');
  service.handlers['POST /api/template-presets/hls-auto/adopt'] = async (request) => ({
    status: 201,
    body: { data: { ulid: 'T', ...((await request.json()) as object) }, warnings: [] },
  });
  const adopted = await cli(['templates', 'adopt', 'hls-auto', '--name', 'Mine']);
  expect(adopted).toMatchObject({ code: 0, stdout: "The template 'Mine' has the ULID T\n" });
});

test('a preset is not adopted under a name that a template has', async () => {
  const { cli } = prepare();
  const again = ['templates', 'adopt', 'hls-auto', '--name', 'Web'];
  expect(await cli(again)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `The template 'Web' exists, with the ULID ${ulid}. Use it, pass another --name, or --if-missing to keep it without an error.\n`,
  });
  expect(await cli([...again, '--if-missing'])).toMatchObject({
    code: 0,
    stdout: `The template 'Web' exists, with the ULID ${ulid}\n`,
  });
});

test('an unknown preset is answered with the list of presets', async () => {
  const { cli } = prepare();
  const ended = await cli(['templates', 'adopt', 'nope']);
  expect(ended).toMatchObject({ code: 2, stderr: "There is no preset 'nope'. Presets: hls-auto\n" });
});

describe('in the language of the terminal', () => {
  const decision = {
    code: 'frame_rate_chosen',
    message: 'The frame rate varies.',
    facts: { fps: 30, average_fps: 24.5 },
  };
  const failed = {
    ...video,
    status: 'failed',
    streams: [
      { type: 'original', error_log: 'INPUT_DAMAGED: Frame 7 cannot be decoded.', meta: { decisions: [decision] } },
    ],
  };

  test.each([
    [{}, /^status +Failed\n.*error +The file is damaged \(INPUT_DAMAGED\)\. Frame 7 cannot be decoded\.\n/ms],
    [{}, /^decided +The frame rate of the source varies, 24\.5 on average/m],
    [{ LANG: 'de_DE.UTF-8' }, /^Status +Fehlgeschlagen\n.*^Fehler +Die Datei ist beschädigt \(INPUT_DAMAGED\)/ms],
    [{ LANG: 'de_DE.UTF-8' }, /^entschieden +Die Bildrate der Quelle schwankt, im Mittel 24,5/m],
    [{ LC_MESSAGES: 'de', LANG: 'en_US.UTF-8' }, /^Status +Fehlgeschlagen$/m],
    [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, /^status +Failed$/m],
  ])('with %j, reasons and decisions have the texts of their codes', async (env, text) => {
    const { cli, service } = prepare();
    service.handlers[`GET /api/videos/${ulid}`] = () => ({ body: { data: failed } });
    expect((await cli(['videos', 'get', ulid], { env })).stdout).toMatch(text);
  });

  test('what programs read is the same in every language', async () => {
    const { cli, service } = prepare();
    service.handlers[`GET /api/videos/${ulid}`] = () => ({ body: { data: failed } });
    for (const argv of [
      ['get', ulid],
      ['wait', ulid],
    ]) {
      const [english, german] = await Promise.all(
        ['en_US', 'de_DE'].map((LANG) => cli(['videos', ...argv, '--json'], { env: { LANG } })),
      );
      expect(german!.stdout).toBe(english!.stdout);
      expect(german!.stdout).toContain('INPUT_DAMAGED: Frame 7 cannot be decoded.');
    }
  });

  test('errors of fields name the field and say in its language what is wrong', async () => {
    const { cli, service } = prepare();
    const errors = { expires_in: ['The expires in field must be at least 60.'] };
    const codes = { expires_in: [{ code: 'too_small', limit: 60 }] };
    service.handlers[`GET /api/videos/${ulid}/sources?expires_in=60`] = () => ({
      status: 422,
      body: { message: 'Wrong.', errors, codes },
    });
    const argv = ['videos', 'sources', ulid, '--expires-in', '60'];
    expect((await cli(argv)).stderr).toBe('expires_in: Enter 60 or more.\n');
    const env = { LANG: 'de_DE.UTF-8' };
    expect((await cli(argv, { env })).stderr).toBe('expires_in: Geben Sie 60 oder mehr ein.\n');
  });
});

test('videos are filtered by the status that the list shows', async () => {
  const { cli, service } = prepare();
  service.handlers[list('status=completed&per_page=20')] = () => ({ body: { data: [item], meta: {} } });
  for (const status of ['ready', 'Ready', 'completed']) {
    expect((await cli(['videos', '--status', status])).stdout, status).toContain(`${ulid}  Ready`);
  }
});
