import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { expect, inject, test } from 'vitest';
import { readOperator } from '../fixtures/servers/read-operator.ts';
import { signUp } from './support/client.ts';
import { startService } from './support/service.ts';

type Ended = { code?: number; stdout: string; stderr: string };

const smoke = (token: string, apiUrl = inject('apiUrl')): Promise<Ended> =>
  promisify(execFile)(process.execPath, ['tools/smoke/smoke.ts', '--url', apiUrl, '--file', inject('clip').file], {
    env: { ...process.env, SMOKE_TOKEN: token },
  }).catch((error: Ended) => error);

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

test('it passes within the quotas of a new AWS account', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'new-account-'));
  const dataFolder = join(folder, 'data');
  const service = await startService({ dataFolder, env: { CHAOS: 'new-account' } });
  try {
    const { region, controlUrl: endpoint, credentials } = await readOperator(dataFolder);
    const lambda = new LambdaClient({ region, endpoint, credentials });
    expect((await lambda.send(new GetAccountSettingsCommand({}))).AccountLimit).toMatchObject({
      ConcurrentExecutions: 10,
    });
    lambda.destroy();
    const token = await readFile(join(dataFolder, 'api-token'), 'utf8');
    const { stdout, stderr } = await smoke(token, service.apiUrl);
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(9);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true });
  }
});
