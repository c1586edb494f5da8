import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepApiToken, storeApiToken } from '../../../local/files/api-token.ts';

const [url, email] = ['http://127.0.0.1:3000', 'a@example.com'];
const token = '1|abcdefghijklmnopqrstuvwxyz';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'api-token-'));
  vi.stubGlobal('fetch', async (...request: ConstructorParameters<typeof Request>) => {
    const { method, headers } = new Request(...request);
    if (method === 'POST') return Response.json({ token: '2|new' }, { status: 201 });
    const isKnown = headers.get('authorization') === `Bearer ${token}`;
    return isKnown ? Response.json({ email }) : Response.json({ message: 'Unauthenticated.' }, { status: 401 });
  });
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

test('a stored token is used again', async () => {
  await storeApiToken(folder, token);
  expect(await keepApiToken(folder, url, { email, password: undefined })).toBe(token);
});

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['truncated', token.slice(0, 10)],
  ['flipped', token.replace('m', '\n')],
  ['not of ASCII', token.replace('m', '\u20ac')],
  ['of an older copy', '0|older'],
])('a token that is %s is replaced with the password, and without it the start is refused', async (_, stored) => {
  if (stored !== undefined) await writeFile(join(folder, 'api-token'), stored);
  await expect(keepApiToken(folder, url, { email, password: undefined })).rejects.toThrow(
    /^The password of a@example.com is needed again: set ADMIN_PASSWORD\.$/,
  );
  const made = await keepApiToken(folder, url, { email, password: 'correct horse' });
  expect(await readFile(join(folder, 'api-token'), 'utf8')).toBe(made);
});
