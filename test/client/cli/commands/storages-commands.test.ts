import { expect, test } from 'vitest';
import { prepareCli } from '../../support/run-cli.ts';

const ulid = '01K9Z3P6M8N9P0Q1R2S3T4V5W6';
const storage = {
  ulid,
  name: 'Archive \u001b[2J',
  bucket: 'films',
  prefix: 'in/',
  endpoint: null,
  region: 'eu-central-1',
  external_id: null,
  trusted_account: null,
};

test('storages are listed with their buckets', async () => {
  const { cli, service } = prepareCli();
  service.handlers['GET /api/storages'] = () => ({ body: { data: [storage] } });
  const { stdout } = await cli(['storages']);
  expect(stdout).toContain(`${ulid}  s3://films/in/  eu-central-1  Archive`);
  expect(stdout).not.toContain('\u001b');
});

test('the secret of a new storage is read from the environment, and a role gets what its trust policy needs', async () => {
  const { cli, service } = prepareCli();
  const env = { STORAGE_SECRET_ACCESS_KEY: 'secret' };
  const sent: Record<string, unknown>[] = [];
  service.handlers['POST /api/storages'] = async (request: Request) => {
    const body = (await request.json()) as Record<string, unknown>;
    sent.push(body);
    const role = body.role_arn === null ? {} : { external_id: 'abc', trusted_account: '999999999999' };
    return { status: 201, body: { data: { ...storage, ...role } } };
  };
  const added = await cli(['storages', 'add', 'Archive', '--bucket', 'films', '--access-key-id', 'AKIA1'], { env });
  expect([added.code, added.stderr]).toEqual([0, '']);
  expect(sent[0]).toMatchObject({
    bucket: 'films',
    region: 'auto',
    access_key_id: 'AKIA1',
    secret_access_key: 'secret',
  });
  const role = ['--region', 'eu-central-1', '--role-arn', 'arn:aws:iam::111122223333:role/media'];
  const { stdout } = await cli(['storages', 'add', 'Archive', '--bucket', 'films', ...role]);
  expect(stdout).toContain('trust the account 999999999999 with the external id abc');
  expect(sent[1]).toMatchObject({ access_key_id: null, secret_access_key: null });
});

test('an access key without its secret is wrong usage', async () => {
  const { cli } = prepareCli();
  const { code, stderr } = await cli(['storages', 'add', 'A', '--bucket', 'films', '--access-key-id', 'AKIA1']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Set STORAGE_SECRET_ACCESS_KEY')]);
});

test('a failed step of the test is printed, and is the exit code', async () => {
  const { cli, service } = prepareCli();
  const steps = [
    { step: 'open', ok: true },
    { step: 'write', ok: false, code: 'no_bucket', message: 'No such bucket.' },
  ];
  service.handlers[`POST /api/storages/${ulid}/test`] = () => ({ body: { data: { ok: false, steps } } });
  expect(await cli(['storages', 'test', ulid])).toMatchObject({
    code: 1,
    stdout: 'open: ok\nwrite: No such bucket.\n',
  });
});

const films = { ...storage, ulid: 'A', prefix: '' };
test.each([
  ['the one with the longest prefix', [films, { ...films, ulid: 'B', prefix: 'in/' }], [], 'B'],
  ['the named one', [films], ['--storage', 'C'], 'C'],
])('ingest s3://BUCKET/KEY uses %s', async (_, storages, options, expected) => {
  const { cli, service } = prepareCli();
  let sent: unknown;
  service.handlers['GET /api/templates'] = () => ({ body: { data: [{ ulid, id: 1, name: 'Web', shared: false }] } });
  service.handlers['GET /api/storages'] = () => ({ body: { data: storages } });
  service.handlers['POST /api/ingests'] = async (request: Request) => {
    sent = await request.json();
    return { status: 202, body: { data: { ulid, status: 'pending' } } };
  };
  const { code, stderr } = await cli(['ingest', 's3://films/in/a b.mov', '-t', 'Web', ...options]);
  expect([code, stderr]).toEqual([0, '']);
  expect(sent).toMatchObject({ storage: expected, key: 'in/a b.mov' });
});

test('a bucket that no storage has is wrong usage', async () => {
  const { cli, service } = prepareCli();
  service.handlers['GET /api/templates'] = () => ({ body: { data: [{ ulid, id: 1, name: 'Web', shared: false }] } });
  service.handlers['GET /api/storages'] = () => ({ body: { data: [films] } });
  const { code, stderr } = await cli(['ingest', 's3://other/a.mov', '-t', 'Web']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("No storage has the bucket 'other'")]);
});
