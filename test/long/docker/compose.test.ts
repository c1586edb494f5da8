import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { run } from './commands.ts';
import { engineAt } from './images.ts';

const repository = join(import.meta.dirname, '../../..');
const { docker, env } = engineAt(inject('engineFolder'));
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
  const bases = await readFile(join(repository, 'local/Dockerfile'), 'utf8');
  await writeFile(
    at('Dockerfile'),
    `FROM ${/^ARG BASE_IMAGE=(.+)$/m.exec(bases)?.[1]}
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates caddy
ENV XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile"]
`,
  );
  await docker('build', '--quiet', '--network', 'host', '--tag', 'caddy-of-debian', folder);
  const settings = { ...env, DOMAIN: 'localhost', IMAGE: 'service', CADDY_IMAGE: 'caddy-of-debian', WORKERS: '1' };
  compose = (...args) =>
    run('docker-compose', ['--project-directory', folder, '--project-name', project, ...args], settings);
  await compose('--file', at('compose.yaml'), 'up', '--detach', '--no-build');
});
afterAll(async () => {
  await compose('--file', join(folder, 'compose.yaml'), 'down', '--volumes');
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

test('the profile makes a complete backup of the running service', async () => {
  const file = ['--file', join(folder, 'compose.yaml')];
  expect(await compose(...file, 'run', '--rm', 'backup')).toMatch(/backup/i);
  const listed = ['run', '--rm', '--network', 'none', '--volume', `${project}_backups:/backups`, '--entrypoint', 'sh'];
  expect(await docker(...listed, 'service', '-c', 'ls /backups/*/manifest.json')).toMatch(
    /^\/backups\/\S+Z\/manifest\.json$/,
  );
});
