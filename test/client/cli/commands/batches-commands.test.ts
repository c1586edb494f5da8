import { expect, onTestFinished, test, vi } from 'vitest';
import { prepareCli } from '../../support/run-cli.ts';

const ulid = '01K9Z3P6M8N9P0Q1R2S3T4V5W6';
const storages = [
  { ulid: 'A', bucket: 'films', prefix: '' },
  { ulid: 'B', bucket: 'films', prefix: 'in/' },
];
const batch = {
  ulid,
  storage: 'B',
  prefix: 'in/2026/',
  limit: 1000,
  status: 'listing',
  created: 0,
  skipped: 0,
  stored: 0,
  failed: 0,
  removed: 0,
  error: null,
};

function prepare(...later: object[]) {
  const prepared = prepareCli();
  const bodies: unknown[] = [];
  const { handlers } = prepared.service;
  handlers['GET /api/templates'] = () => ({ body: { data: [{ ulid, id: 1, name: 'Web', shared: false }] } });
  handlers['GET /api/storages'] = () => ({ body: { data: storages } });
  handlers['POST /api/ingests/batch'] = async (request) => {
    bodies.push(await request.json());
    return { status: 202, body: { data: batch } };
  };
  handlers[`GET /api/ingests/batch/${ulid}`] = () => ({ body: { data: { ...batch, ...later.shift() } } });
  return { ...prepared, bodies };
}

test('all files below a prefix are fetched, with the storage whose prefix is the longest', async () => {
  const { cli, bodies } = prepare();
  const ended = await cli(['batches', 'add', 's3://films/in/2026/', '-t', 'Web', '--limit', '50', '--tag', 'old']);
  expect(ended).toMatchObject({ code: 0, stdout: `The batch has the ULID ${ulid}.\n`, stderr: '' });
  expect(bodies).toEqual([
    { storage: 'B', prefix: 'in/2026/', metadata: { template: ulid, tags: ['old'] }, limit: 50 },
  ]);
});

test('all files of a bucket are fetched without a prefix', async () => {
  const { cli, bodies } = prepare();
  const ended = await cli(['batches', 'add', 's3://films', '-t', 'Web']);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(bodies).toEqual([{ storage: 'A', metadata: { template: ulid }, limit: 1000 }]);
});

test('--wait waits until all files are fetched, and files that failed are the exit code', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 200 });
  const counts = { created: 3, stored: 2, skipped: 4 };
  const { cli } = prepare(
    {},
    { status: 'fetching', ...counts },
    { status: 'completed', ...counts, failed: 1 },
    { status: 'completed', ...counts },
  );
  const argv = ['batches', 'add', 's3://films/in/', '-t', 'Web', '--wait'];
  expect(await cli(argv)).toMatchObject({ code: 1, stdout: `${ulid}: 2 stored, 1 failed, 4 skipped\n` });
  expect(await cli(argv)).toMatchObject({ code: 0, stdout: `${ulid}: 2 stored, 0 failed, 4 skipped\n` });
});

test.each([
  [{ status: 'failed', error: 'STORAGE_REFUSED: The store refuses to list.' }, 'The store refuses to list.'],
  [{ status: 'cancelled', stored: 2 }, 'The batch was cancelled: 2 stored, 0 failed, 0 skipped.'],
])('a batch that ends as %o says so', async (later, expected) => {
  const { cli } = prepare(later);
  const { code, stderr } = await cli(['batches', 'add', 's3://films/in/', '-t', 'Web', '--wait']);
  expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
});

test('batches are listed with their counts, and stopped', async () => {
  const { cli, service } = prepare();
  const listed = { ...batch, prefix: 'in/\u001b[2J', created: 12, stored: 10, failed: 1 };
  service.handlers['GET /api/ingests/batch'] = () => ({ body: { data: [listed] } });
  service.handlers[`DELETE /api/ingests/batch/${ulid}`] = () => ({ status: 204 });
  const { stdout } = await cli(['batches']);
  expect(stdout).toMatch(new RegExp(`${ulid} +listing +12 +10 +1 +in/`));
  expect(stdout).not.toContain('\u001b');
  expect(await cli(['batches', 'stop', ulid])).toMatchObject({
    code: 0,
    stdout: `${ulid}: no more files are fetched\n`,
  });
});

test.each([
  [['batches', 'add', 'https://films.test/in/', '-t', 'Web'], "'https://films.test/in/' is not of the form"],
  [['batches', 'add', 's3://films/', '-t', 'Web', '--limit', '0'], '--limit is a whole number from 1 to 1000000'],
  [['batches', 'add', 's3://other/', '-t', 'Web'], "No storage has the bucket 'other'"],
  [['ingest', 's3://films/in/', '-t', 'Web'], "open-video-service batches add 's3://films/in/'"],
])('%o is wrong usage', async (argv, expected) => {
  const { cli } = prepare();
  const { code, stderr } = await cli(argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
});
