import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOptions } from '../../local/options.ts';

test('without arguments and settings there are defaults', () => {
  expect(readOptions([], {})).toEqual({
    help: false,
    demo: false,
    files: [],
    port: 3000,
    dataFolder: '.data',
    adminEmail: 'admin@example.com',
    adminPassword: undefined,
    workers: undefined,
    logLevel: 'ERROR',
    nodeSshPort: 22,
    registration: 'off',
    countViews: 'on',
    transcriptSearch: 'off',
    loopbackTargets: 'off',
    chaos: 'off',
    workerImage: undefined,
    proxyImage: undefined,
    acmeDirectory: undefined,
    nodeCertificates: undefined,
    listenAddress: '127.0.0.1',
    publicUrls: undefined,
    trustedProxies: [],
    clients: [],
  });
});

test('arguments are files but for the flags, and settings come from the environment', () => {
  const environment = {
    PORT: '8080',
    DATA_DIR: '/d',
    WORKERS: '2',
    LOG_LEVEL: 'info',
    ADMIN_PASSWORD: 'long enough',
    REGISTRATION: 'on',
    COUNT_VIEWS: 'off',
    TRANSCRIPT_SEARCH: 'on',
    CHAOS: 'on',
  };
  expect(readOptions(['--demo', 'a.mp4', '--', '-b.mp4'], environment)).toMatchObject({
    demo: true,
    files: ['a.mp4', '-b.mp4'],
    port: 8080,
    dataFolder: '/d',
    workers: 2,
    registration: 'on',
    countViews: 'off',
    transcriptSearch: 'on',
    chaos: 'on',
    logLevel: 'INFO',
    adminPassword: 'long enough',
  });
});

test.each([
  [['--dmo'], {}, "Unknown option '--dmo': see npm start -- --help."],
  [[], { PORT: 'x' }, 'PORT is a whole number from 1 to 65534, not x.'],
  [[], { PORT: '65535' }, 'PORT is a whole number from 1 to 65534, not 65535.'],
  [[], { NODE_SSH_PORT: '65536' }, 'NODE_SSH_PORT is a whole number from 1 to 65535, not 65536.'],
  [[], { WORKER_IMAGE: 'worker:latest' }, 'WORKER_IMAGE is an image with its digest, not worker:latest.'],
  [[], { REGISTRATION: 'true' }, 'REGISTRATION is on or off, not true.'],
  [[], { ALLOW_LOOPBACK_TARGETS: 'yes' }, 'ALLOW_LOOPBACK_TARGETS is on or off, not yes.'],
  [
    [],
    { ALLOW_LOOPBACK_TARGETS: 'on', PUBLIC_URL: 'https://video.example.com' },
    'ALLOW_LOOPBACK_TARGETS is on: each user could read what this machine serves to itself only. With PUBLIC_URL, leave it out.',
  ],
  [[], { CHAOS: 'yes' }, 'CHAOS is on, off or new-account, not yes.'],
  [[], { PROXY_IMAGE: 'proxy' }, 'PROXY_IMAGE is an image with its digest, not proxy.'],
  [[], { ACME_DIRECTORY: 'acme.example.com' }, 'ACME_DIRECTORY is the URL of an ACME authority, not acme.example.com.'],
  [[], { NODE_CA: '/no/such.pem' }, 'NODE_CA is a file, and /no/such.pem cannot be read (ENOENT).'],
  [
    [],
    { NODE_CA: import.meta.filename },
    `NODE_CA is a PEM file with certificates of authorities, and ${import.meta.filename} has none.`,
  ],
  [[], { WORKERS: '-1' }, 'WORKERS is a whole number from 0 to 64, not -1.'],
  [[], { LOG_LEVEL: 'loud' }, 'LOG_LEVEL is DEBUG, INFO, WARN, ERROR or SILENT, not LOUD.'],
  [[], { ADMIN_EMAIL: 'me' }, 'ADMIN_EMAIL is not an e-mail address: me.'],
  [
    [],
    { ADMIN_PASSWORD: 'long enough', ADMIN_PASSWORD_FILE: '/run/secrets/admin' },
    'ADMIN_PASSWORD and ADMIN_PASSWORD_FILE are both set: leave one of them out.',
  ],
  [[], { ADMIN_PASSWORD_FILE: '/no/such' }, 'ADMIN_PASSWORD_FILE is a file, and /no/such cannot be read (ENOENT).'],
  [
    [],
    { ADMIN_PASSWORD_FILE: '/dev/null' },
    'The password in ADMIN_PASSWORD_FILE /dev/null is too short: set one of at least 8 characters.',
  ],
  [[], { ADMIN_PASSWORD: 'short' }, 'ADMIN_PASSWORD is too short: set one of at least 8 characters.'],
])('%j with %j cannot be meant', (args, environment, message) => {
  expect(() => readOptions(args, environment)).toThrow(message);
});

test('a password in a file has no line end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'options-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'password');
  await writeFile(file, ' long enough \n');
  expect(readOptions([], { ADMIN_PASSWORD_FILE: file }).adminPassword).toBe(' long enough ');
});
