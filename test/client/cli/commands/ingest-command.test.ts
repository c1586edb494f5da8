import { expect, onTestFinished, test, vi } from 'vitest';
import { prepareCli } from '../../support/run-cli.ts';

const url = 'https://files.test/holiday.mp4?signature=secret';
const ingest = { ulid: 'V', status: 'pending', bytes_received: 0, size: null, error: null };

function prepare() {
  const cli = prepareCli();
  const bodies: unknown[] = [];
  cli.service.handlers['POST /api/ingests'] = async (request) => {
    bodies.push(await request.json());
    return { status: 202, body: { data: ingest } };
  };
  return { ...cli, bodies };
}

test('a URL is given to the service', async () => {
  const { cli, bodies } = prepare();
  const ended = await cli(['ingest', url, '-t', 'Web', '--filename', 'a.mp4', '--external-resource-id', 'r-1']);
  expect(ended).toMatchObject({ code: 0, stdout: 'files.test/holiday.mp4: fetched by the service as V\n', stderr: '' });
  const metadata = { template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6', externalResourceId: 'r-1' };
  expect(bodies).toEqual([{ url, filename: 'a.mp4', metadata }]);
});

test('--wait waits for the file and its video', async () => {
  const { cli, service } = prepare();
  service.handlers['GET /api/ingests/V'] = () => ({ body: { data: { ...ingest, status: 'stored' } } });
  service.handlers['GET /api/videos/V'] = () => ({ body: { data: { status: 'completed', streams: [], outputs: [] } } });
  service.handlers['GET /api/videos/V/sources'] = () => ({ body: { sources: [], poster_url: null } });
  const ended = await cli(['ingest', url, '-t', 'Web', '--wait', '--json']);
  expect(ended.code).toBe(0);
  expect(ended.json()).toEqual([
    { type: 'accepted', url, ulid: 'V' },
    { type: 'completed', url, ulid: 'V', sources: [], poster_url: null, failed_outputs: [] },
  ]);
});

test('a failed ingest is exit code 1 with its reason', async () => {
  const { cli, service } = prepare();
  const failed = { ...ingest, status: 'failed', error: 'The server answers 404.' };
  service.handlers['GET /api/ingests/V'] = () => ({ body: { data: failed } });
  const ended = await cli(['ingest', url, '-t', 'Web', '-w']);
  expect(ended).toMatchObject({ code: 1, stderr: 'files.test/holiday.mp4 failed: The server answers 404.\n' });
});

test('a URL that the service refuses does not stop the others', async () => {
  const { cli, service } = prepare();
  const accept = service.handlers['POST /api/ingests']!;
  service.handlers['POST /api/ingests'] = async (request) => {
    const { url } = (await request.clone().json()) as { url: string };
    const errors = { url: ['The url field has a private address.'] };
    return url.includes('10.0.0.1') ? { status: 422, body: { message: 'Invalid.', errors } } : accept(request);
  };
  const ended = await cli(['ingest', 'https://10.0.0.1/a.mp4', url, '-t', 'Web']);
  expect(ended).toMatchObject({ code: 1, stderr: '10.0.0.1/a.mp4 failed: The url field has a private address.\n' });
  expect(ended.stdout).toContain('fetched by the service as V');
});

test('when the token is refused, no ingest is waited for any more', async () => {
  const { cli, service } = prepare();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 20 });
  service.handlers['POST /api/ingests'] = async (request) => {
    const { url } = (await request.json()) as { url: string };
    return { status: 202, body: { data: { ...ingest, ulid: url.includes('holiday') ? 'V' : 'W' } } };
  };
  service.handlers['GET /api/ingests/V'] = () => ({ body: { data: { ...ingest, status: 'fetching' } } });
  service.handlers['GET /api/ingests/W'] = () => ({ status: 401, body: { message: 'Unauthenticated.' } });
  const ended = await cli(['ingest', url, 'https://files.test/other.mp4', '-t', 'Web', '--wait']);
  expect(ended.code).toBe(3);
  expect(ended.stderr).toMatch(/^https:\/\/service\.test does not accept the token\. .+\n$/);
  const { length } = service.requests;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.requests).toHaveLength(length);
});

test.each([
  [['s3://films', '-t', 'Web'], "'s3://films' is not of the form s3://BUCKET/KEY."],
  [['a.mp4'], "'a.mp4' is not a URL with http, https or s3. A local file: open-video-service upload 'a.mp4'"],
  [[url, url, '--filename', 'a'], '--filename is for one URL.'],
])('%j is wrong usage', async (argv, message) => {
  const { cli } = prepare();
  expect(await cli(['ingest', ...argv, '-t', 'Web'])).toMatchObject({ code: 2, stderr: `${message}\n` });
});
