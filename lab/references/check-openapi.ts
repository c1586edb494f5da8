import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bodyOf } from '../../client/api.ts';
import { createClient } from '../../client/create-client.ts';
import { createToken } from '../../client/create-token.ts';
import { presets } from '../../functions/templates/presets.ts';
import { startService } from '../../test/journey/support/service.ts';

/** Each sends up to 280 of the 300 requests that a user has in a minute, so that rate limits hide little. */
const usersOfKind = 12;
const kinds = ['visitor', 'user', 'admin'] as const;
/** With the examples and the boundaries of all fields, about 7,000 requests of each kind. */
const examplesOfOperation = 5;
const password = 'correct horse battery';

/** A token, and records of its user by the paths of their operations. */
type Caller = { token: string; records: Record<string, string | number> };

/**
 * Sends about 20,000 generated requests to a running service: as a visitor, as users and as administrators. A server
 * error, a status that the document does not have and a response that does not match its schema are differences.
 * @param programs folder of schemathesis
 * @returns how many kinds of callers had differences, which are printed
 */
export async function checkOpenapi(programs: string, folder: string, seed: number): Promise<number> {
  const admin = { email: 'admin@example.com', password };
  const service = await startService({
    dataFolder: join(folder, 'service'),
    env: {
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      WORKERS: '0',
      // Each few requests come from another address, for the limits of addresses.
      TRUSTED_PROXIES: '127.0.0.1',
      ALLOW_LOOPBACK_TARGETS: 'off',
    },
  });
  try {
    const file = join(folder, 'callers.json');
    await writeFile(file, JSON.stringify(await createCallers(service.apiUrl, admin)));
    let failed = 0;
    for (const kind of kinds) {
      console.log(`\nschemathesis as ${kind}`);
      const status = await runSchemathesis(programs, folder, { url: service.apiUrl, file, kind, seed });
      if (status !== 0) failed += 1;
    }
    const errors = service.errors.filter((line) => line.includes('"level":"ERROR"'));
    for (const line of errors) console.log(`DIFFERENCE the service logged ${line}`);
    return failed + errors.length;
  } finally {
    await service.stop();
  }
}

async function createCallers(url: string, account: { email: string; password: string }) {
  const { api } = createClient({ url, token: await createToken(url, account, 'references') });
  const callers: Record<'user' | 'admin', Caller[]> = { user: [], admin: [] };
  for (const kind of ['user', 'admin'] as const) {
    for (let number = 0; number < usersOfKind; number++) {
      const email = `${kind}-${number}@example.com`;
      await bodyOf(api.POST('/api/users', { body: { name: kind, email, password, is_admin: kind === 'admin' } }));
      const token = await createToken(url, { email, password }, 'references');
      callers[kind].push({ token, records: await createRecords(url, token) });
    }
  }
  return callers;
}

/** Without records, generated requests for one would find none. */
async function createRecords(url: string, token: string): Promise<Caller['records']> {
  const { api, upload } = createClient({ url, token });
  const body = { name: 'Web', query: presets[0].query };
  const template = (await bodyOf(api.POST('/api/templates', { body }))).data;
  const hook = { name: 'Shop', url: 'https://shop.example.com/hooks', events: ['video.completed' as const] };
  const webhook = (await bodyOf(api.POST('/api/webhooks', { body: hook }))).data;
  const file = { filename: 'a.mp4', template: template.ulid };
  // It stays unfinished, since nothing encodes.
  const video = await upload(new Blob(['no video']), file);
  const multipart = { filename: 'b.mp4', type: 'video/mp4', size: 8, metadata: { template: template.ulid } };
  const { uploadId } = await bodyOf(api.POST('/api/objstore/multipart', { body: multipart }));
  return {
    '/api/templates/{id}': template.id,
    '/api/webhooks/{ulid}': webhook.ulid,
    '/api/videos/{ulid}': video.ulid,
    '/api/objstore/multipart/{uploadId}': uploadId,
  };
}

type Run = { url: string; file: string; kind: (typeof kinds)[number]; seed: number };

/** Runs schemathesis in the folder, and prints what it prints. @returns its status */
async function runSchemathesis(programs: string, folder: string, { url, file, kind, seed }: Run): Promise<number> {
  const config = ['--config-file', join(import.meta.dirname, 'schemathesis.toml')];
  const args = ['run', `${url}/api/openapi.json`, '--no-color', '--warnings', 'off', '--continue-on-failure'];
  // One worker: its threads fail in Python 3.11.
  const amount = ['--max-examples', String(examplesOfOperation), '--seed', String(seed), '--workers', '1'];
  // The service answers late requests itself, with 503.
  const timeout = ['--request-timeout', '60'];
  const child = spawn(join(programs, 'schemathesis'), [...config, ...args, ...amount, ...timeout], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
      CALLERS: file,
      CALLER: kind,
    },
  });
  const [status] = await once(child, 'exit');
  return status ?? 1;
}
