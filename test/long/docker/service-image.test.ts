import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findFreePorts } from '../../fixtures/servers/find-free-ports.ts';
import { type Client, createClient } from '../../journey/support/client.ts';
import { until } from '../../journey/support/service.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { everyFormat } from '../../journey/support/templates.ts';
import { expectFinished, expectStored, installation } from '../installation.ts';
import { engineOf, images } from './engine.ts';

const { docker } = engineOf(inject('engine'));
const network = `images-${process.pid}`;
/** A volume with the data of 0.1.0. */
const ofVersion1 = `${network}-0.1.0`;
const confined = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

let folder: string;
let port: number;
let admin: Client;
let video: string;

/** As docs/docker.md says, with other ports. */
const startContainer = (volume = network) =>
  docker(
    ...['run', '--detach', '--name', network, '--network', network, '--memory', '2g', ...confined],
    ...['--publish', `127.0.0.1:${port}:${port}`, '--publish', `127.0.0.1:${port + 1}:${port + 1}`],
    ...['--volume', `${volume}:/data`, '--volume', `${join(folder, 'password')}:/run/secrets/admin-password:ro`],
    ...['--env', 'ADMIN_PASSWORD_FILE=/run/secrets/admin-password', '--env', `PORT=${port}`, images.service],
  );
const isReady = () =>
  until(() =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-image-'));
  port = await findFreePorts();
  await writeFile(join(folder, 'password'), 'a good password\n');
  await docker('network', 'create', network);
  await startContainer();
  await isReady();
  admin = await createAdmin();
});
afterAll(async () => {
  await docker('rm', '--force', network);
  await docker('volume', 'rm', '--force', network, ofVersion1);
  await docker('network', 'rm', network);
  await rm(folder, { recursive: true });
});

/** The token is written after the first answer. */
async function createAdmin(): Promise<Client> {
  let token = '';
  await until(async () => {
    token = await docker('exec', network, 'cat', '/data/api-token').catch(() => '');
    return token !== '';
  });
  return createClient(`http://127.0.0.1:${port}`, token);
}

/** The status of the last thing that a player reads. */
async function play(url: string): Promise<number> {
  const answer = await fetch(url);
  const text = await answer.text();
  const next = text.startsWith('#EXTM3U') && text.split('\n').find((line) => /^[^#]/.test(line));
  return next ? play(new URL(next, url).href) : answer.status;
}

test('a confined container encodes a video in every format', async () => {
  const { status } = await fetch(`http://127.0.0.1:${port}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@example.com', password: 'a good password' }),
  });
  expect(status).toBe(200);
  const clip = await makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 4 });
  const template = await admin.makeTemplate(everyFormat);
  video = await admin.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  expect(await admin.waitUntilDone(video, { atMostMs: 600_000 })).toMatchObject({ status: 'completed' });
  const { hls, dash, mp4 } = await admin.sources(video);
  expect(await Promise.all([hls!, dash!, mp4!].map(play))).toEqual([200, 200, 200]);
  expect(await docker('exec', network, 'id', '-u')).toBe('1000');
});

test('Docker knows that it is healthy', async () => {
  const health = () => docker('inspect', '--format', '{{.State.Health.Status}}', network);
  await expect.poll(health).toBe('healthy');
});

test('another container on its network is not answered', async () => {
  const address = `fetch('http://${network}:${port}/health').then(({ status }) => status, () => 'closed')`;
  const asked = ['run', '--rm', '--network', network, '--entrypoint', 'node', images.service];
  expect(await docker(...asked, '-e', `${address}.then(console.log)`)).toBe('closed');
});

test('a container that stops within ten seconds plays its videos after an upgrade on the same volume', async () => {
  await docker('stop', '--time', '10', network);
  expect(await docker('inspect', '--format', '{{.State.ExitCode}}', network)).toBe('0');
  await docker('rm', network);
  await startContainer();
  await isReady();
  expect(await play((await admin.sources(video)).hls!)).toBe(200);
});

/** Runs a container that cannot start. @returns what it says */
const refusal = (...args: string[]) =>
  docker('run', '--rm', '--network', network, ...confined, ...args).then(
    () => 'started',
    (error: Error) => error.message.split('failed:\n')[1],
  );
const advice = 'or set DATA_DIR to a folder that you may write.\n';

test('a volume that cannot be used and a port that is taken are refused with one sentence', async () => {
  const others = join(folder, 'others');
  await mkdir(others, { mode: 0o700 });
  expect(await refusal('--volume', `${others}:/data`, images.service)).toBe(
    `The data folder /data cannot be written (EACCES): give it to user 1000 (chown), ${advice}`,
  );
  expect(await readdir(others)).toEqual([]);
  expect(await refusal('--volume', `${network}:/data:ro`, images.service)).toBe(
    `The data folder /data cannot be written (EROFS): mount it writable, ${advice}`,
  );
  expect(await refusal('--volume', `${network}:/data`, images.service)).toBe(
    'The data folder /data is in use by another instance: stop it, or set DATA_DIR to another folder.\n',
  );
  const same = ['run', '--rm', '--network', `container:${network}`, '--env', `PORT=${port}`, images.service];
  await expect(docker(...same)).rejects.toThrow(
    `Port ${port} is in use: stop the program that uses it, or set PORT to another number.\n`,
  );
});

test('a volume of 0.1.0 is upgraded: what it stored is there, and what it was encoding is finished', async () => {
  await docker('rm', '--force', network);
  await docker(
    ...['run', '--rm', '--network', 'none', '--volume', `${ofVersion1}:/data`],
    ...['--volume', `${installation}:/installation.tar.gz:ro`, '--entrypoint', 'tar', images.service],
    ...['-xzf', '/installation.tar.gz', '-C', '/data'],
  );
  await startContainer(ofVersion1);
  await isReady();
  const upgraded = await createAdmin();
  await expectStored(upgraded);
  await expectFinished(upgraded);
});

test('a volume that a newer version has used is refused, and nothing in it changes', async () => {
  await docker('rm', '--force', network);
  const inVolume = (program: string, ...args: string[]) =>
    docker(
      ...['run', '--rm', '--network', 'none', '--volume', `${ofVersion1}:/data`, '--entrypoint', program],
      ...[images.service, ...args],
    );
  const write = `import { writeWhole } from 'embedded-aws'; await writeWhole('/data/data-format', '2');`;
  await inVolume('node', '--input-type=module', '--eval', write);
  const files = () => inVolume('sh', '-c', 'find /data -type f -exec sha256sum {} + | sort');
  const before = await files();
  expect(await refusal('--volume', `${ofVersion1}:/data`, images.service)).toBe(
    'The data folder /data is of a newer version of the service (format 2, this version has 1): ' +
      'start that version, or restore a backup of this one into another folder.\n',
  );
  expect(await files()).toBe(before);
});
