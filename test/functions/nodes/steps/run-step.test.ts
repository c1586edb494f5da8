import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { NodeTarget } from '../../../../functions/nodes/ssh/node-target.ts';
import { stepsOf } from '../../../../functions/nodes/steps/node-steps.ts';
import { runStep } from '../../../../functions/nodes/steps/run-step.ts';
import {
  createImageName,
  imageValues,
  proxy,
  replaceProgram,
  runStepOn,
  runSteps,
  stepValues,
} from '../../../fixtures/servers/run-node-steps.ts';
import { type SshServer, startSshServer } from '../../../fixtures/servers/start-ssh-server.ts';

let server: SshServer;
afterEach(() => server.stop());

const images = [createImageName('a')];

/** Everything that a step can change: every file with content and time, and every call that changed something. */
async function stateOf({ root, calls }: SshServer): Promise<unknown> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const kept = files.filter(({ parentPath }) => !/^\/(run|calls)(\/|$)/.test(parentPath.slice(root.length)));
  const seen = kept.map(async (file) => {
    const path = join(file.parentPath, file.name);
    const { mtimeMs } = await stat(path);
    return [path.slice(root.length), file.isFile() ? [mtimeMs, await readFile(path, 'latin1')] : 'no file'] as const;
  });
  const programs = ['docker', 'packages', 'systemctl'] as const;
  const called = programs.map(async (name) => [name, await calls(name)] as const);
  return Object.fromEntries(await Promise.all([...seen, ...called]));
}

test.each(['worker', 'proxy'] as const)(
  'a %s is deployed step by step, and a second run of a step changes nothing',
  async (type) => {
    server = await startSshServer({ target: type === 'proxy' ? proxy : {} });
    const { ulid } = server.target;
    await replaceProgram(server, 'curl', `case $(cat) in */s/*) echo ${ulid} ;; *) echo '{"node":"${ulid}"}' ;; esac`);
    for (const { name } of stepsOf(type)) {
      expect(await runStepOn(server, name), name).toMatchObject({ ok: true });
      const state = await stateOf(server);
      const again = await runStepOn(server, name);
      if (name === 'check' || name === 'verify') expect(again, name).toMatchObject({ ok: true });
      else expect(again, name).toMatchObject({ ok: true, log: 'Nothing to do.\n' });
      expect(await stateOf(server), name).toEqual(state);
    }
    expect(await readdir(join(server.root, 'run/video-service'))).toEqual(['lock']);
    expect(new Set(await server.calls('sudo'))).toEqual(
      new Set(stepsOf(type).map(({ timeoutSeconds }) => `-n timeout -k 5 ${timeoutSeconds} bash -s`)),
    );
  },
);

test.each([
  ['Debian 11', 'x86_64', ['ca-certificates curl openssl', 'docker.io']],
  // The engine only recommends the package with the command docker.
  ['Debian 13', 'x86_64', ['ca-certificates curl openssl', 'docker.io docker-cli']],
  ['Ubuntu 20.04', 'aarch64', ['ca-certificates curl openssl', 'docker.io']],
  // No curl: it conflicts with the installed curl-minimal.
  ['Amazon Linux 2023', 'aarch64', ['ca-certificates openssl', 'docker']],
] as const)('on %s for %s the distribution’s packages are installed', async (system, architecture, packages) => {
  server = await startSshServer({ system, architecture });
  await replaceProgram(server, 'curl', 'cat >/dev/null');
  await runSteps(server, ['check', 'packages', 'docker']);
  const installs = (await server.calls('packages')).filter((line) => line.includes(' install '));
  expect(installs.map((line) => line.slice(line.indexOf(' install ') + ' install '.length))).toEqual(packages);
});

test('a step waits while another program holds a lock of the package manager, and says so', async () => {
  server = await startSshServer();
  await replaceProgram(server, 'curl', 'cat >/dev/null');
  await replaceProgram(server, 'sleep', '');
  await server.fault('dpkg-lock', 'dpkg: error: dpkg frontend lock was locked by another process with pid 812');
  await server.fault('apt-get-lock', 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812');
  const { ok, log } = await runStepOn(server, 'packages');
  const waits = 'Waiting for another program that installs packages.\n';
  expect({ ok, log }).toEqual({ ok: true, log: `${waits}${waits}Installed: ca-certificates curl openssl\n` });
});

test('an engine without the command docker is named as such', async () => {
  server = await startSshServer({ system: 'Debian 13' });
  await replaceProgram(server, 'curl', 'cat >/dev/null');
  await runSteps(server, ['packages']);
  await replaceProgram(server, 'apt-cache', '');
  expect(await runStepOn(server, 'docker')).toMatchObject({
    error: { code: 'DOCKER_FAILED', message: expect.stringContaining('The command docker is missing') },
  });
});

test('secrets are in files of root and not on command lines', async () => {
  server = await startSshServer({ images: [] });
  await runSteps(server, ['image', 'configure', 'start']);
  const file = join(server.root, 'etc/video-service/worker/worker.env');
  expect(await readFile(file, 'utf8')).toBe(
    `SYNC_URL=https://api.example.com/api/workers/sync\nWORKER_TOKEN=${stepValues.WORKER_TOKEN}\n`,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const asked = [...(await server.calls('docker')), ...(await server.calls('sudo'))];
  expect(asked).toContain('login --username AWS --password-stdin registry.example.com');
  expect(asked.join('\n')).not.toMatch(/the-worker-secret|the-registry-password/);
  // where the login was kept
  expect(existsSync(await readFile(join(server.root, 'docker/login-folder'), 'utf8'))).toBe(false);
});

test('private authorities reach the check, the worker and the program that gets certificates', async () => {
  server = await startSshServer({ images, target: { ...proxy, type: 'worker' } });
  const values = { CERTIFICATES: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' };
  await replaceProgram(server, 'curl', `case $(cat) in *'cacert = '*CERTIFICATES*) ;; *) exit 60 ;; esac`);
  await runSteps(server, ['check', 'configure', 'start'], { values });
  const folder = join(server.root, 'etc/video-service/worker');
  expect(await readFile(join(folder, 'authorities.pem'), 'utf8')).toBe(values.CERTIFICATES);
  expect(await readFile(join(folder, 'worker.env'), 'utf8')).toContain(
    'NODE_EXTRA_CA_CERTS=/etc/video-service/authorities.pem\n',
  );
  const mount = `source=${folder}/authorities.pem,target=/etc/video-service/authorities.pem,readonly`;
  expect((await server.calls('docker')).filter((line) => line.includes(mount))).toHaveLength(1);

  const asProxy = { target: proxy, values };
  await runSteps(server, ['configure', 'certificate'], asProxy);
  expect((await server.calls('docker')).find((line) => line.includes('lego'))).toContain(
    '/authorities.pem,readonly --env LEGO_CA_CERTIFICATES=/authorities.pem',
  );
  // Without them, their files are removed.
  await runSteps(server, ['configure', 'start']);
  expect(await readdir(folder)).toEqual(['worker.env']);
});

test('workers of a service that has only a loopback address use the network of their server', async () => {
  server = await startSshServer({ images, target: { workers: 1 } });
  const start = async () => (await server.calls('docker')).findLast((line) => line.startsWith('run '));
  await runSteps(server, ['configure', 'start']);
  expect(await start()).not.toContain('--network');
  await runSteps(server, ['configure', 'start'], { values: { API_URL: 'http://127.0.0.1:3000' } });
  expect(await start()).toContain('--network host');
});

test('a proxy of a service on one machine gets its sockets, and must be on that machine', async () => {
  server = await startSshServer({ images, target: proxy });
  const values = { SERVICE_SOCKETS: '/data/sockets' };
  await runSteps(server, ['configure', 'certificate']);
  expect(await runStepOn(server, 'start', { values })).toMatchObject({
    error: { code: 'CONTAINER_FAILED', message: expect.stringContaining('must be on that machine') },
  });
  await mkdir(join(server.root, 'data/sockets'), { recursive: true });
  await runSteps(server, ['start'], { values });
  const run = (await server.calls('docker')).findLast((line) => line.startsWith('run --detach'));
  expect(run).toContain(`source=${server.root}/data/sockets,target=/run/video-service-sockets,readonly`);
  // nginx reads files of a group that the server does not have.
  expect(run).toContain('--group-add 10101');
});

test('containers have only the permissions that they need', async () => {
  server = await startSshServer({ images, target: { workers: 3 } });
  await runSteps(server, ['configure', 'start']);
  const runs = (await server.calls('docker')).filter((line) => line.startsWith('run '));
  expect(runs.map((line) => /--name (\S+)/.exec(line)?.[1])).toEqual(
    [1, 2, 3].map((number) => `video-service-worker-${number}`),
  );
  const flags = [
    `--label video-service.node=${server.target.ulid}`,
    '--read-only',
    '--cap-drop ALL',
    '--security-opt no-new-privileges',
    // a third of what 8192 MiB leave, in steps of 64
    '--memory 2560m --memory-swap 2560m',
    '--cpus ',
    '--pids-limit ',
    '--user 1000:1000',
    '--restart unless-stopped',
    '--pull never',
  ];
  for (const line of runs) {
    for (const flag of flags) expect(line).toContain(flag);
    expect(line.endsWith(` ${stepValues.IMAGE_X86_64}`)).toBe(true);
  }
});

test.each([
  ['x86_64', 'a'],
  ['aarch64', 'b'],
])('a server with %s runs the image of its architecture', async (architecture, digit) => {
  server = await startSshServer({ architecture, images: [] });
  const target = { workers: 1 };
  const values = { IMAGE_X86_64: createImageName('a'), IMAGE_ARM64: createImageName('b') };
  await runSteps(server, ['configure', 'image', 'start'], { target, values });
  const images = (await server.calls('docker')).filter((line) => /^(pull|run) /.test(line));
  expect(images.map((line) => line.split(' ').at(-1))).toEqual([createImageName(digit), createImageName(digit)]);
});

test('containers with another image or token are replaced, and surplus workers are removed', async () => {
  server = await startSshServer({ images });
  await runSteps(server, ['configure', 'start']);
  const before = (await server.calls('docker')).length;
  await runSteps(server, ['image', 'start'], { target: { workers: 1 }, values: imageValues('b') });
  const verbs = async () => (await server.calls('docker')).slice(before).map((line) => line.split(' ')[0]);
  expect(await verbs()).toEqual(['login', 'pull', 'stop', 'rm', 'run', 'stop', 'rm', 'image']);
  expect(await readdir(join(server.root, 'docker/containers'))).toEqual(['video-service-worker-1']);
  expect(await readFile(join(server.root, 'docker/images'), 'utf8')).toBe(`${createImageName('b')}\n`);
  const values = { ...imageValues('b'), WORKER_TOKEN: '01K9Z3S0C1D2E3F4G5H6J7K8M9.another-secret' };
  await runSteps(server, ['configure', 'start'], { target: { workers: 1 }, values });
  expect((await verbs()).slice(8)).toEqual(['stop', 'rm', 'run']);
});

test('containers of a node that was deleted with force are replaced; those of other nodes are not changed', async () => {
  server = await startSshServer({ images, target: { workers: 1 } });
  await runSteps(server, ['configure', 'start']);
  const other = { ...proxy, ulid: '01K9Z3S0C1D2E3F4G5H6J7K8MB' };
  await runSteps(server, ['configure', 'certificate', 'start'], { target: other });
  await runSteps(server, ['configure', 'start', 'remove'], { target: { ulid: '01K9Z3S0C1D2E3F4G5H6J7K8MC' } });
  expect(await readdir(join(server.root, 'docker/containers'))).toEqual(['video-service-proxy']);
  expect(await readdir(join(server.root, 'etc/video-service'))).toEqual(['proxy']);
});

test('a step with secrets is refused while the host key is unknown', async () => {
  server = await startSshServer();
  await replaceProgram(server, 'curl', 'cat >/dev/null');
  const pinned: unknown[] = [];
  const target: Partial<NodeTarget> = {
    hostKey: null,
    async pinHostKey(shown) {
      pinned.push(shown);
      return shown;
    },
  };
  expect(await runStepOn(server, 'configure', { target })).toMatchObject({
    ok: false,
    error: { code: 'HOST_KEY_UNKNOWN' },
  });
  expect(await server.log()).not.toContain('Accepted publickey');
  expect(await runStepOn(server, 'check', { target })).toMatchObject({ ok: true });
  expect(pinned).toEqual([server.target.hostKey]);
});

test('values are transferred unchanged and never executed as commands', async () => {
  server = await startSshServer({ images, target: proxy });
  const hostile = [
    '$(touch PWNED)',
    '`touch PWNED`',
    "';touch PWNED;'",
    '"\ntouch PWNED\n"',
    '.\ntouch PWNED\n',
    '%s%n\\',
    '-rf /',
    'ü€𝄞 \u0000\r\n\t',
    '',
  ];
  const files = Object.fromEntries(hostile.map((content, index) => [`file-${index}.txt`, content]));
  expect(await runStep(server.target, 'configure', { values: files })).toMatchObject({ ok: true });
  const folder = join(server.root, 'etc/video-service/proxy');
  for (const [name, content] of Object.entries(files)) expect(await readFile(join(folder, name), 'utf8')).toBe(content);
  const found = await readdir(server.root, { recursive: true });
  expect(found.filter((path) => path.includes('PWNED'))).toEqual([]);
});
