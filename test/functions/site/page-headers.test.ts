import { afterEach, expect, test, vi } from 'vitest';
import { pageHeaders } from '../../../functions/site/page-headers.ts';

const onAws = {
  API_URL: 'https://abc.execute-api.eu-west-1.amazonaws.com',
  BUCKET_URL: 'https://media.s3.eu-west-1.amazonaws.com',
  EDGE_URL: 'https://d1.cloudfront.net',
  USE_PROXIES: 'off',
};

afterEach(() => vi.unstubAllEnvs());

/** The sources of each directive, with the given environment. */
function policyOf(page: string, environment: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const policy = pageHeaders(page)['content-security-policy']!;
  return Object.fromEntries(policy.split('; ').map((part) => [part.split(' ')[0]!, part.replace(/^\S+ /, '')]));
}

test('the dashboard runs its own code, plays from the edge and uploads to the bucket, and nothing else', () => {
  expect(policyOf('app', onAws)).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data: blob: https://d1.cloudfront.net",
    'media-src': "'self' blob: https://d1.cloudfront.net",
    'connect-src': "'self' https://media.s3.eu-west-1.amazonaws.com https://d1.cloudfront.net",
    'font-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
  });
});

test('with proxies, whose addresses can change at any time, videos play from any HTTPS address', () => {
  expect(policyOf('app', { ...onAws, USE_PROXIES: 'on' })).toMatchObject({
    'script-src': "'self'",
    'media-src': "'self' blob: https://d1.cloudfront.net https:",
  });
  const withoutEdge = { ...onAws, EDGE_URL: '', USE_PROXIES: 'on' };
  expect(policyOf('app', withoutEdge)).toMatchObject({ 'media-src': "'self' blob: https:" });
});

test.each([
  ['one machine', 'http://127.0.0.1:3000', '', 'http://127.0.0.1:3001', ' https: http:'],
  ['a public server', 'https://video.example.com', 'https://store.example.com', 'https://store.example.com', ' https:'],
])('on %s it uploads to the public address of the store', (_, url, publicStore, store, others) => {
  const environment = {
    API_URL: url,
    EDGE_URL: url,
    USE_PROXIES: 'on',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:3001',
    ...(publicStore !== '' && { AWS_ENDPOINT_URL_S3_PUBLIC: publicStore }),
  };
  expect(policyOf('app', environment)).toMatchObject({
    'connect-src': `'self' ${store} ${url}${others}`,
    'media-src': `'self' blob: ${url}${others}`,
  });
});

test('a page opens no window of another origin, sends it no path, and uses no device', () => {
  for (const [name, value] of Object.entries(onAws)) vi.stubEnv(name, value);
  expect(pageHeaders('app')).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': expect.stringContaining('camera=()'),
  });
});
