import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { type Client, createClient } from '../journey/support/client.ts';
import { type Service, startService } from '../journey/support/service.ts';
import { run } from './docker/commands.ts';
import { expectFinished, expectStored, installation } from './installation.ts';

let folder: string;
let service: Service;
let client: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder, { mode: 0o700 });
  await run('tar', ['-xzf', installation, '-C', dataFolder]);
  service = await startService({ dataFolder });
  client = createClient(service.apiUrl, (await readFile(join(dataFolder, 'api-token'), 'utf8')).trim());
}, 300_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

test('what a user stored with 0.1.0 is there, and a finished video plays with its captions', () =>
  expectStored(client));

test('a video that 0.1.0 was encoding is finished', () => expectFinished(client));
