import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFiles } from '../../../delivery/nginx/proxy-files.ts';
import { checkConfiguration, placeIn, proxyNode, writeProxyFiles } from './running-proxy.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test.each([
  ['before the embedded store', { endpoint: 'http://127.0.0.1:3001' }],
  ['behind a CDN', { endpoint: 'http://127.0.0.1:3001', cdnMode: true }],
  ['before a store that speaks TLS', { endpoint: 'https://127.0.0.1:3001' }],
])('nginx accepts the configuration of a proxy with a certificate, %s', async (_, changes) => {
  const folder = await emptyFolder();
  const paths = placeIn(folder, { http: '127.0.0.1:18080', https: '127.0.0.1:18443' });
  await writeProxyFiles(folder, { ...proxyNode, ...changes, paths });
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=proxy.example.com', '-out', paths.certificate, '-keyout', paths.certificateKey],
    ],
    { stdio: 'ignore' },
  );
  expect(await checkConfiguration(folder)).toEqual({
    status: 0,
    stderr: expect.stringContaining('test is successful'),
  });
});

test('on AWS it uses the bucket and the parameter store of its region and verifies their certificates', () => {
  const { 'nginx.conf': text } = proxyFiles(proxyNode);
  expect(text).toContain('server media.s3.eu-west-2.amazonaws.com:443;');
  expect(text).toContain('server ssm.eu-west-2.amazonaws.com:443;');
  expect(text?.match(/proxy_pass https:\/\/\w+\$origin_path;/g)).toHaveLength(3);
  expect(text?.match(/proxy_ssl_verify on;/g)).toHaveLength(3);
});

test('the configuration contains no secret', () => {
  const { 'nginx.conf': text } = proxyFiles({
    ...proxyNode,
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'shh' },
  });
  for (const secret of [...Object.values(proxyNode.keys), 'shh']) expect(text).not.toContain(secret);
});

test.each([
  ['hostname', 'a.example.com; return 200'],
  ['bucket', 'media/../other'],
  ['region', ''],
  ['endpoint', 'http://127.0.0.1/$x'],
  ['keysParameter', "x'; y"],
  ['ulid', '../../etc'],
])('a %s with syntax of a configuration is refused', (name, value) => {
  expect(() => proxyFiles({ ...proxyNode, [name]: value })).toThrow(`invalid ${name} of a proxy`);
});
