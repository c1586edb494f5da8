import { afterEach, expect, test, vi } from 'vitest';
import { prepareCli } from '../../support/run-cli.ts';

afterEach(() => vi.useRealTimers());

const token = {
  id: 12,
  name: 'ci \u001b[2J',
  abilities: ['uploads:write', 'videos:read'],
  expires_at: '2027-01-31T12:00:00.000000Z',
  last_used_at: '2026-11-22T10:00:00.000000Z',
  created_at: '2026-11-20T10:00:00.000000Z',
};

test('tokens are listed with what they may do, their expiry and last use', async () => {
  const { cli, service } = prepareCli();
  const unused = { ...token, id: 7, name: 'all', abilities: ['*'], expires_at: null, last_used_at: null };
  service.handlers['GET /api/tokens'] = () => ({ body: { data: [token, unused] } });
  expect(await cli(['tokens'])).toMatchObject({
    code: 0,
    stdout: [
      'ID  EXPIRES (UTC)     LAST USED (UTC)   ABILITIES                  NAME',
      '12  2027-01-31 12:00  2026-11-22 10:00  uploads:write,videos:read  ci �[2J',
      '7   -                 -                 *                          all',
      '',
    ].join('\n'),
  });
  expect((await cli(['tokens', '--json'])).json()).toEqual([{ data: [token, unused] }]);
});

test.each<[string[], object]>([
  [[], {}],
  [['--ability', 'videos:read', '--ability', 'admin'], { abilities: ['videos:read', 'admin'] }],
  [['--expires', '30d'], { expires_at: '2026-12-20T10:00:00.000Z' }],
  [['--expires', '12h'], { expires_at: '2026-11-20T22:00:00.000Z' }],
  [['--expires', '2027-01-31'], { expires_at: '2027-01-31' }],
])('tokens create %j sends %j, and prints the token alone', async (options, fields) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00Z') });
  const { cli, service } = prepareCli();
  let seen: unknown;
  service.handlers['POST /api/tokens'] = async (request: Request) => {
    seen = await request.json();
    return { status: 201, body: { token: '13|secret' } };
  };
  const { code, stdout, stderr } = await cli(['tokens', 'create', 'ci', ...options]);
  expect([code, stdout, stderr]).toEqual([0, '13|secret\n', 'Keep the token now: it is not shown again.\n']);
  expect(seen).toEqual({ name: 'ci', ...fields });
});

test('a wrong ability is refused with those that there are, as the service names them', async () => {
  const { cli, service } = prepareCli();
  const message = 'The abilities are *, videos:read, admin.';
  service.handlers['POST /api/tokens'] = () => ({
    status: 422,
    body: { message, errors: { 'abilities.0': [message] }, codes: { 'abilities.0': [{ code: 'invalid' }] } },
  });
  expect(await cli(['tokens', 'create', 'ci', '--ability', 'all'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `${message}\n`,
  });
});

test('a token is revoked by its ID, and its text is not sent as one', async () => {
  const { cli, service } = prepareCli();
  service.handlers['DELETE /api/tokens/12'] = () => ({ status: 204 });
  expect(await cli(['tokens', 'delete', '12'])).toMatchObject({ code: 0, stdout: '12: revoked\n' });
  expect(await cli(['tokens', 'delete', `12|${'a'.repeat(40)}`])).toMatchObject({
    code: 2,
    stderr: expect.not.stringContaining('aaaa'),
  });
});

test('a token that has expired, or lacks an ability, says so', async () => {
  const { cli, service } = prepareCli();
  service.handlers['GET /api/tokens'] = () => ({ status: 401, body: { message: 'M', code: 'token_expired' } });
  expect(await cli(['tokens'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^The token has expired\. Create a token in the dashboard/),
  });
  const message = 'This needs a token with the ability *.';
  service.handlers['GET /api/tokens'] = () => ({ status: 403, body: { message, code: 'token_ability_missing' } });
  expect(await cli(['tokens'])).toMatchObject({ code: 3, stderr: `The token may not do this: ${message}\n` });
});
