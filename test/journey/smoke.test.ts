import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { signUp } from './support/client.ts';

type Ended = { code?: number; stdout: string; stderr: string };

const smoke = (token: string): Promise<Ended> =>
  promisify(execFile)(
    process.execPath,
    ['infra/tools/smoke/smoke.ts', '--url', inject('apiUrl'), '--file', inject('clip').file],
    { env: { ...process.env, SMOKE_TOKEN: token } },
  ).catch((error: Ended) => error);

test('the smoke test uploads, encodes, plays and deletes a video and leaves nothing behind', async () => {
  const client = await signUp(inject('apiUrl'));
  const { stdout, stderr } = await smoke(client.token);
  expect(stderr).toBe('');
  expect(stdout.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(9);
  expect(stdout).toContain('hls: 2 variants; dash: 12');
  const { data } = await client.get<{ data: unknown[] }>('/api/templates');
  expect(data).toEqual([]);
});

test('it stops at the first failing step and says what to do', async () => {
  const { code, stdout, stderr } = await smoke('1|wrong');
  expect(code).toBe(1);
  expect(stdout.split('\n').filter(Boolean)).toHaveLength(1);
  expect(stderr).toBe(
    'FAIL  the token is valid: Unauthenticated. Create a token with POST /api/tokens and pass it with --token.\n',
  );
});
