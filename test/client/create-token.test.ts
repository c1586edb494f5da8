import { afterEach, expect, test, vi } from 'vitest';
import { createToken } from '../../client/create-token.ts';
import { createFakeService } from './support/fake-service.ts';

afterEach(() => void vi.unstubAllGlobals());

const account = { email: 'ada@example.com', password: 'correct horse' };

function stubService(handlers: Parameters<typeof createFakeService>[0]): string {
  const service = createFakeService(handlers);
  vi.stubGlobal('fetch', (input: string | Request, init?: RequestInit) => service.fetch(new Request(input, init)));
  return service.url;
}

test('a token is created with the session cookie of the login', async () => {
  const url = stubService({
    'POST /login': () => ({ headers: { 'set-cookie': 'session=1; HttpOnly' } }),
    'POST /api/tokens': ({ headers }) => ({ status: 201, body: { token: `for ${headers.get('cookie')}` } }),
  });
  expect(await createToken(url, account, 'laptop')).toBe('for session=1');
});

test('a wrong password is reported with the message of the API', async () => {
  const message = 'These credentials do not match our records.';
  const url = stubService({ 'POST /login': () => ({ status: 422, body: { message } }) });
  await expect(createToken(url, account, 'laptop')).rejects.toMatchObject({ name: 'ApiError', status: 422, message });
});
