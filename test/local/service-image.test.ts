import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { memoryOptions } from '../../local/setup.mjs';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const dockerfile = read('local/Dockerfile');
const argument = (name: string, text: string) => new RegExp(`^ARG ${name}=(.+)$`, 'm').exec(text)?.[1];

test('the image of the service starts it as npm start does, on the bases of the worker', () => {
  const [, entryPoint = ''] = /^ENTRYPOINT (.+)$/m.exec(dockerfile) ?? [];
  expect(JSON.parse(entryPoint)).toEqual(['tini', '--', 'node', ...memoryOptions, 'local/main.ts']);
  for (const name of ['NODE_IMAGE', 'BASE_IMAGE']) {
    expect(argument(name, dockerfile)).toBe(argument(name, read('encoder-task/Dockerfile')));
  }
  expect(dockerfile).toMatch(/^ {2}sh \/tmp\/install-ffmpeg\.sh /m);
  expect(dockerfile).not.toContain('apt-get');
});

test('the packages of every workspace are known when the image installs them', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  const [, copied = ''] = /^COPY package\.json[^\n]*\n((?:COPY .+\n)+)/m.exec(dockerfile) ?? [];
  const ignored = read('local/Dockerfile.dockerignore').split('\n');
  for (const workspace of workspaces) {
    const [folder = ''] = workspace.split('/uppy-');
    expect(copied).toContain(` ${folder}`);
    expect(ignored.some((line) => line === `!${workspace}` || line === `!${workspace}/package.json`)).toBe(true);
  }
});

test('Compose trusts the network of its reverse proxy, and all containers of the service are confined', () => {
  const { services, networks } = parse(read('compose.yaml'));
  const { TRUSTED_PROXIES, WORKER_NETWORK } = services.service.environment;
  const [front, workers] = [networks.front, networks.workers].map(({ ipam }) => ipam.config[0].subnet);
  expect([TRUSTED_PROXIES, WORKER_NETWORK]).toEqual([front, workers]);
  expect(services.worker.networks).toEqual(['workers']);
  for (const name of ['service', 'worker', 'backup']) {
    expect(services[name]).toMatchObject({
      read_only: true,
      tmpfs: '/tmp',
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  }
});
