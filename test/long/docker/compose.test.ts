import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createClient } from '../../journey/support/client.ts';
import { sendFrom } from '../../journey/support/send-from.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { hlsOf } from '../../journey/support/templates.ts';
import { run } from './commands.ts';
import { engineOf, images } from './engine.ts';

const repository = join(import.meta.dirname, '../../..');
const { docker, env } = engineOf(inject('engine'));
const caddy = 'open-video-service-test/caddy';
const project = `compose-${process.pid}`;
let folder: string;
let compose: (...args: string[]) => Promise<string>;

/** `compose.yaml` as it is. Its folder has the files that it names; Caddy is that of Debian. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compose-'));
  const at = (name: string) => join(folder, name);
  await run('cp', ['-r', join(repository, 'compose.yaml'), at('compose.yaml')]);
  await run('mkdir', [at('local')]);
  await run('cp', [join(repository, 'local/Caddyfile'), at('local/Caddyfile')]);
  await writeFile(at('admin-password'), 'a good password', { mode: 0o644 });
  await writeFile(
    at('Dockerfile'),
    `FROM ${inject('baseImage')}
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates caddy
ENV XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile"]
`,
  );
  await docker('build', '--quiet', '--network', 'host', '--tag', caddy, folder);
  const settings = {
    ...env,
    DOMAIN: 'localhost',
    IMAGE: images.service,
    CADDY_IMAGE: caddy,
  };
  compose = (...args) =>
    run('docker-compose', ['--file', at('compose.yaml'), '--project-name', project, ...args], settings);
  await compose('up', '--detach', '--no-build');
});
afterAll(async () => {
  await compose('down', '--volumes');
  await rm(folder, { recursive: true });
});

const ask = (url: string, ...args: string[]) =>
  run('curl', ['--silent', '--insecure', '--output', '/dev/null', '--write-out', '%{http_code}', ...args, url]);

test('the service is reached through Caddy with TLS, and so is its store', async () => {
  await expect.poll(() => ask('https://localhost/health').catch(String)).toBe('200');
  const login = ['--header', 'content-type: application/json', '--data'];
  const account = JSON.stringify({ email: 'admin@example.com', password: 'a good password' });
  expect(await ask('https://localhost/login', ...login, account)).toBe('200');
  // Caddy makes one certificate after the other.
  const askStore = () => ask('https://store.localhost/', '--resolve', 'store.localhost:443:127.0.0.1').catch(String);
  await expect.poll(askStore).toBe('403');
});

test('only two workers in separate containers encode, also after a restart of the service', async () => {
  const service = await compose('ps', '--quiet', 'service');
  const workers = (await compose('ps', '--quiet', 'worker')).split('\n');
  expect(workers).toHaveLength(2);
  const certificate = await compose('exec', '-T', 'caddy', 'cat', '/data/caddy/pki/authorities/local/root.crt');
  const send = sendFrom({ localAddress: '127.0.0.1', certificate });
  const admin = createClient('https://localhost', await docker('exec', service, 'cat', '/data/api-token'), send);
  const { file } = await makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 8, width: 426, height: 240 });
  const encode = async () => {
    const video = await admin.upload({ file, template: await admin.makeTemplate(hlsOf([240])), partBytes: 2 ** 24 });
    return admin.waitUntilDone(video, { atMostMs: 900_000 });
  };
  expect(await encode()).toMatchObject({ status: 'completed' });
  const jobs = await Promise.all(workers.map((worker) => docker('logs', worker)));
  expect(jobs.join('')).toContain('job done');
  expect(await docker('exec', service, 'sh', '-c', 'cat /proc/[0-9]*/cmdline')).not.toContain('encoder-task');
  // Presigned URLs and connections are not those of the process that ended.
  await docker('restart', '--time', '10', service);
  await expect.poll(() => ask('https://localhost/health').catch(String)).toBe('200');
  expect(await encode()).toMatchObject({ status: 'completed' });
});

test('the profile makes a complete backup of the running service', async () => {
  expect(await compose('run', '--rm', 'backup')).toMatch(/backup/i);
  const listed = ['run', '--rm', '--network', 'none', '--volume', `${project}_backups:/backups`, '--entrypoint', 'sh'];
  expect(await docker(...listed, images.service, '-c', 'ls /backups/*/manifest.json')).toMatch(
    /^\/backups\/\S+Z\/manifest\.json$/,
  );
});
