import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  createImageName,
  outcome,
  replaceProgram,
  runStepOn,
  runSteps,
} from '../../../fixtures/servers/run-node-steps.ts';
import { type SshServer, startSshServer } from '../../../fixtures/servers/start-ssh-server.ts';

let server: SshServer;
afterEach(() => server.stop());

const put = (name: string, content: string) => writeFile(join(server.root, name), content);

test('the check rejects unsuitable servers', async () => {
  server = await startSshServer();
  await replaceProgram(server, 'curl', 'cat >/dev/null');
  expect((await runStepOn(server, 'check')).log).toMatch(
    /^ok: debian 11, x86_64, \d+ processors\nok: 8192 MiB of memory, 65536 MiB free\nok: the clock is off by -?\d s\nok: the API is reachable\n$/,
  );
  await put('etc/os-release', 'ID=fedora\nVERSION_ID=40\n');
  expect(await outcome(server, 'check')).toBe('SYSTEM_UNSUPPORTED');
  await put('etc/os-release', 'ID=debian\nVERSION_ID="10"\n');
  expect(await outcome(server, 'check')).toBe('SYSTEM_UNSUPPORTED');
  await put('etc/os-release', 'ID=debian\nVERSION_ID="13"\n');
  await put('architecture', 'armv7l\n');
  expect(await outcome(server, 'check')).toBe('ARCHITECTURE_UNSUPPORTED');
  await put('architecture', 'x86_64\n');
  await put('proc/meminfo', 'MemTotal: 2000000 kB\n');
  expect(await outcome(server, 'check')).toBe('MEMORY_TOO_SMALL');
  await put('proc/meminfo', 'MemTotal: 3000000 kB\n');
  expect((await runStepOn(server, 'check')).log).toContain(
    'note: each container gets 1264 MiB, which is enough for 1080p. Jobs with renditions of 2160p, which need 2000 MiB, are left to other workers.\n',
  );
  await put('proc/meminfo', 'MemTotal: 8000000 kB\n');
  await put('free-bytes', '1000000000\n');
  expect(await outcome(server, 'check')).toBe('DISK_TOO_SMALL');
  await put('free-bytes', '100000000000\n');
  await replaceProgram(server, 'date', 'echo 1000000000');
  expect(await outcome(server, 'check')).toBe('CLOCK_WRONG');
});

test('the check tests the connection to the API, also without curl', async () => {
  const api = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  await new Promise((resolve) => api.once('listening', resolve));
  const reachable = { values: { API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}` } };
  const unreachable = { values: { API_URL: 'http://127.0.0.1:1' } };
  server = await startSshServer();
  expect(await outcome(server, 'check', reachable)).toBe('ok');
  expect(await outcome(server, 'check', unreachable)).toBe('API_UNREACHABLE');
  await rm(join(server.root, 'bin/curl'));
  expect(await outcome(server, 'check', reachable)).toBe('ok');
  expect(await outcome(server, 'check', unreachable)).toBe('API_UNREACHABLE');
  api.close();
});

test('a failed installation has an error, and is repeated by the next run', async () => {
  server = await startSshServer();
  await server.fault('apt-get');
  expect(await outcome(server, 'packages')).toBe('PACKAGES_FAILED');
  expect(await outcome(server, 'docker')).toBe('DOCKER_FAILED');
  await server.fault('apt-get', null);
  await server.fault('systemctl');
  expect(await outcome(server, 'docker')).toBe('DOCKER_FAILED');
  await server.fault('systemctl', null);
  await runSteps(server, ['packages', 'docker']);
});

test('steps that need Docker fail if it is not installed', async () => {
  server = await startSshServer();
  expect(await outcome(server, 'image')).toBe('DOCKER_FAILED');
  expect(await outcome(server, 'start')).toBe('DOCKER_FAILED');
  expect(await outcome(server, 'verify')).toBe('DOCKER_FAILED');
  expect(await outcome(server, 'drain')).toBe('ok');
});

test('the log of a failed pull or start contains Docker’s message', async () => {
  server = await startSshServer({ images: [] });
  expect(await outcome(server, 'image', { values: { REGISTRY_PASSWORD: 'wrong' } })).toBe('IMAGE_FAILED');
  await server.fault('docker-pull', 'manifest unknown');
  expect(await runStepOn(server, 'image')).toMatchObject({
    ok: false,
    error: { code: 'IMAGE_FAILED' },
    log: expect.stringContaining('manifest unknown'),
  });
  expect(await outcome(server, 'start')).toBe('CONTAINER_FAILED');
  await server.fault('docker-pull', null);
  await server.fault('docker-run', 'port is already allocated');
  await runSteps(server, ['image', 'configure']);
  expect(await runStepOn(server, 'start')).toMatchObject({
    ok: false,
    error: { code: 'CONTAINER_FAILED' },
    log: expect.stringContaining('port is already allocated'),
  });
  await server.fault('docker-run', null);
  await runSteps(server, ['start']);
});

test('a full disk of Docker is named, with a command that frees space', async () => {
  server = await startSshServer({ images: [] });
  const full = {
    ok: false,
    error: { code: 'DISK_TOO_SMALL', message: expect.stringContaining('docker system prune') },
    log: expect.stringContaining('no space left on device'),
  };
  await server.fault('docker-pull', 'write /var/lib/docker/tmp/GetImageBlob1: no space left on device');
  expect(await runStepOn(server, 'image')).toMatchObject(full);
  await server.fault('docker-pull', null);
  await server.fault('docker-run', 'mkdir /var/lib/docker/overlay2/1: no space left on device');
  await runSteps(server, ['image', 'configure']);
  expect(await runStepOn(server, 'start')).toMatchObject(full);
  await server.fault('docker-run', null);
  await runSteps(server, ['start']);
});

test('a Docker that is too old is not replaced, and named with its version', async () => {
  server = await startSshServer({ images: [] });
  await put('docker/version', '19.03.8\n');
  const tooOld = {
    ok: false,
    error: {
      code: 'DOCKER_FAILED',
      message: expect.stringMatching(/^Docker 19\.03\.8 is too old: remove its packages/),
    },
  };
  expect(await runStepOn(server, 'docker')).toMatchObject(tooOld);
  expect(await runStepOn(server, 'image')).toMatchObject(tooOld);
  expect(await server.calls('packages')).toEqual([]);
  await put('docker/version', '20.10.24+dfsg1\n');
  await runSteps(server, ['docker', 'image']);
});

test('the log of a crashing container is shown', async () => {
  server = await startSshServer({ images: [createImageName('a')], target: { workers: 1 } });
  await runSteps(server, ['configure', 'start']);
  await put('docker/containers/video-service-worker-1/State', 'restarting');
  await replaceProgram(server, 'sleep', '');
  expect(await runStepOn(server, 'verify')).toMatchObject({
    ok: false,
    error: { code: 'NOT_HEALTHY' },
    log: expect.stringContaining('the last words of a container'),
  });
});

test('the removal fails when the engine does not respond, instead of leaving containers behind', async () => {
  server = await startSshServer({ images: [createImageName('a')] });
  await runSteps(server, ['configure', 'start']);
  await rm(join(server.root, 'docker/runs'));
  expect(await outcome(server, 'drain')).toBe('DOCKER_FAILED');
  expect(await outcome(server, 'remove')).toBe('DOCKER_FAILED');
  expect(existsSync(join(server.root, 'etc/video-service/worker'))).toBe(true);
});

test('without sudo, or when it refuses, the step fails and changes nothing', async () => {
  server = await startSshServer();
  await server.fault('sudo');
  expect(await runStepOn(server, 'packages')).toMatchObject({
    ok: false,
    error: { code: 'SUDO_REFUSED', message: expect.stringContaining('NOPASSWD') },
    log: 'sudo: a password is required\n',
  });
  await rm(join(server.root, 'bin/sudo'));
  expect(await outcome(server, 'packages')).toBe('SUDO_REFUSED');
  expect(await server.calls('packages')).toEqual([]);
});
