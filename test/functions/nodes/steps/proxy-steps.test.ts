import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createImageName,
  proxy,
  replaceProgram,
  runStepOn,
  runSteps,
} from '../../../fixtures/servers/run-node-steps.ts';
import { type SshServer, startSshServer } from '../../../fixtures/servers/start-ssh-server.ts';

let server: SshServer;
beforeAll(async () => {
  server = await startSshServer({ images: [createImageName('a')], target: proxy });
  await runSteps(server, ['configure', 'certificate', 'start'], { values: { 'keys.json': '{"k1":"a"}\n' } });
});
afterAll(() => server.stop());

const folder = () => join(server.root, 'etc/video-service/proxy');
const certificatesAsked = async () =>
  (await server.calls('docker')).filter((line) => line.includes('--entrypoint lego')).length;

test('a deployed proxy has its files and certificate mounted into its container, and a timer that renews the certificate', async () => {
  expect(await readdir(folder())).toEqual(['keys.json', 'nginx.conf']);
  expect((await stat(join(folder(), 'keys.json'))).mode & 0o777).toBe(0o640);
  expect((await stat(join(server.root, 'etc/video-service-aws'))).mode & 0o777).toBe(0o750);
  const state = join(server.root, 'var/lib/video-service/proxy');
  expect(await readdir(join(state, 'tls'))).toEqual(['certificate.pem', 'key.pem']);
  const start = (await server.calls('docker')).find((line) => line.startsWith('run --detach'));
  expect(start).toContain(`source=${folder()},target=/etc/video-service,readonly`);
  expect(await server.calls('systemctl')).toContain('--quiet enable --now video-service-renew.timer');
  expect(await readFile(join(state, 'renew.env'), 'utf8')).toContain('HOST_NAME=edge1.example.com\n');
});

test('nginx reloads rotated keys while it runs, and files that are no longer sent are deleted', async () => {
  await runSteps(server, ['configure'], { values: { 'rotated.json': '{"k2":"b"}\n' } });
  expect(await readdir(folder())).toEqual(['nginx.conf', 'rotated.json']);
  expect((await server.calls('docker')).slice(-2)).toEqual([
    'exec video-service-proxy nginx -t -q',
    'exec video-service-proxy nginx -s reload',
  ]);
});

test('files that nginx rejects are replaced by the previous ones', async () => {
  const before = await readFile(join(folder(), 'nginx.conf'), 'utf8');
  const names = await readdir(folder());
  await server.fault('nginx');
  const refused = await runStepOn(server, 'configure', { values: { 'nginx.conf': 'nonsense' } });
  expect(refused).toMatchObject({ ok: false, error: { code: 'CONFIGURATION_REFUSED' } });
  expect(refused.log).toContain('unknown directive');
  expect(await readFile(join(folder(), 'nginx.conf'), 'utf8')).toBe(before);
  expect(await readdir(folder())).toEqual(names);
  expect(await readdir(join(server.root, 'etc/video-service'))).toEqual(['proxy']);
  expect((await server.calls('docker')).at(-1)).not.toContain('reload');
  await server.fault('nginx', null);
});

test('a configuration that was interrupted before nginx had reloaded is repeated', async () => {
  const values = { 'nginx.conf': 'events { }\n' };
  // the state after a power failure: the new files are in place, and the old ones still exist
  await replaceProgram(server, 'docker', `kill -9 "$PPID" "$(awk '{ print $4 }' "/proc/$PPID/stat")"`);
  expect(await runStepOn(server, 'configure', { values })).toMatchObject({ ok: false });
  expect(await readdir(join(server.root, 'etc/video-service'))).toEqual(['proxy', 'proxy.previous']);
  await replaceProgram(server, 'docker', `exec ${join(server.root, 'docker-program')} "$@"`);
  const calls = (await server.calls('docker')).length;
  await runSteps(server, ['configure'], { values });
  expect((await server.calls('docker')).slice(calls)).toContain('exec video-service-proxy nginx -s reload');
  expect(await readdir(join(server.root, 'etc/video-service'))).toEqual(['proxy']);
});

test('a certificate is kept on redeployment; a new host name gets a new one while nginx runs', async () => {
  await runSteps(server, ['configure', 'certificate', 'start']);
  expect(await certificatesAsked()).toBe(1);
  await runSteps(server, ['certificate'], { target: { hostname: 'edge2.example.com' } });
  expect(await certificatesAsked()).toBe(2);
  expect((await server.calls('docker')).slice(-2)).toEqual([
    expect.stringContaining('--http.webroot /var/lib/acme'),
    'exec video-service-proxy nginx -s reload',
  ]);
});

test('a proxy that does not respond at its host name is not healthy', async () => {
  await replaceProgram(server, 'curl', 'cat >/dev/null; echo \'{"node":"another"}\'');
  await replaceProgram(server, 'sleep', '');
  expect(await runStepOn(server, 'verify')).toMatchObject({
    ok: false,
    error: { code: 'NOT_HEALTHY', message: expect.stringContaining('/healthz') },
  });
});
