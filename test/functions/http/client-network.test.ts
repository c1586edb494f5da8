import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, test, vi } from 'vitest';
import { callerAddress, clientNetwork } from '../../../functions/http/client-network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s has the rate limit key %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['with the secret of the edge', 'right', 'https://d1.cloudfront.net', '192.0.2.7'],
  ['with another secret', 'wrong', 'https://d1.cloudfront.net', '198.51.100.1'],
  ['without a secret', undefined, 'https://d1.cloudfront.net', '198.51.100.1'],
  ['on a stage without edge', 'right', '', '198.51.100.1'],
])('the address that a caller states counts only with the secret: %s', async (_, secret, edgeUrl, address) => {
  vi.stubEnv('EDGE_URL', edgeUrl);
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
  const parameters = mockClient(SSMClient);
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'right' } });
  const event = {
    headers: { 'x-viewer-address': '192.0.2.7', ...(secret !== undefined && { 'x-origin-secret': secret }) },
    requestContext: { http: { sourceIp: '198.51.100.1' } },
  };
  expect(await callerAddress(event as unknown as APIGatewayProxyEventV2)).toBe(address);
});
