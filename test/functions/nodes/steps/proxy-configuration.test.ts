import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { proxyConfiguration } from '../../../../functions/nodes/steps/proxy-configuration.ts';
import type { Node } from '../../../../functions/table/nodes/node-table.ts';

const node = { ulid: '01K9Z3R4E5F6G7H8J9K0M1N2P3', hostname: 'edge1.example.com', cdnMode: false } as Node;
const parameters = mockClient(SSMClient);

beforeEach(() => {
  const Value = JSON.stringify({ current: 'k1', keys: { k1: 'b25l' } });
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value } });
  vi.stubEnv('BUCKET_NAME', 'media');
  vi.stubEnv('STORE_REGION', 'eu-west-2');
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  vi.stubEnv('SIGNING_KEYS_PARAMETER', '/video-service/test/signing-keys');
});
afterEach(() => {
  vi.unstubAllEnvs();
  parameters.reset();
});

test("on AWS a proxy gets no credentials, since its server's agent provides them", async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', '');
  expect(Object.keys(await proxyConfiguration(node))).toEqual(['nginx.conf', 'signing-keys.json']);
});

test('with the embedded services a proxy gets their addresses and credentials for proxies, not those of the function', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', 'http://127.0.0.1:3001');
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:40404');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'OWN');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'own');
  vi.stubEnv('AWS_NODE_ACCESS_KEY_ID', 'NODE');
  vi.stubEnv('AWS_NODE_SECRET_ACCESS_KEY', 'node');
  vi.stubEnv('SERVICE_SOCKETS', '/data/sockets');
  const files = await proxyConfiguration(node);
  expect(JSON.parse(files['credentials.json']!)).toEqual({ accessKeyId: 'NODE', secretAccessKey: 'node' });
  // Requests are signed for the addresses, which the container reaches by sockets only.
  expect(files['nginx.conf']).toContain('set $origin_host 127.0.0.1:3001;');
  expect(files['nginx.conf']).toContain('set $origin_host 127.0.0.1:40404;');
  const folder = '/run/video-service-sockets';
  expect(files['nginx.conf']).toMatch(new RegExp(`upstream store \\{\\s+server unix:${folder}/store;`));
  expect(files['nginx.conf']).toMatch(new RegExp(`upstream parameters \\{\\s+server unix:${folder}/parameters;`));
});
