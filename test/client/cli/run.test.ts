import { expect, test } from 'vitest';
import { prepareCli } from '../support/run-cli.ts';

test('help and version need no settings', async () => {
  const { cli } = prepareCli();
  expect(await cli(['--version'])).toMatchObject({ code: 0, stdout: '1.2.3\n' });
  expect((await cli(['upload', '--help'])).stdout).toContain('Usage: open-video-service upload FILE… [options]');
});

test.each([
  ['ECONNREFUSED', 'https://service.test does not answer (ECONNREFUSED). Check the address'],
  ['ENOTFOUND', 'https://service.test does not answer (ENOTFOUND). Check the address'],
])('a service that is not reachable (%s) is exit code 3', async (code, message) => {
  const { cli } = prepareCli();
  const fetch = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  };
  const ended = await cli(['templates'], { fetch });
  expect(ended).toMatchObject({ code: 3, stdout: '' });
  expect(ended.stderr).toContain(message);
});

test.each([
  [401, {}, 3, 'https://service.test does not accept the token. Create a token in the dashboard'],
  [403, { message: 'Administrators only.' }, 3, 'The token may not do this: Administrators only.'],
  [
    500,
    { message: 'Server Error' },
    3,
    'https://service.test answers 500: Server Error. It may have done what was asked: look before you repeat the command.',
  ],
  [422, { message: 'M', errors: { q: ['The q field is too long.'] } }, 1, 'The q field is too long.'],
])('the status %i is explained', async (status, body, code, message) => {
  const { cli, service } = prepareCli();
  service.handlers['GET /api/templates'] = () => ({ status, body });
  const ended = await cli(['templates']);
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(message);
});

test.each([200, 400, 403, 404])(
  'an address that is not a video service and answers %i is exit code 3',
  async (status) => {
    const { cli } = prepareCli();
    const fetch = async () => new Response('<html>', { status, headers: { 'content-type': 'text/html' } });
    const ended = await cli(['templates'], { fetch });
    expect(ended).toMatchObject({ code: 3 });
    expect(ended.stderr).toContain('answers, but not as a video service');
  },
);

test('wrong settings are exit code 2', async () => {
  const { cli } = prepareCli();
  const ended = await cli(['videos'], { env: { OPEN_VIDEO_SERVICE_TOKEN: '' } });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('The API token is missing');
});
