import { expect, test } from 'vitest';
import { addressProblem, nodeAddressProblem, targetProblem } from '../../shared/target-url.ts';

const onAws = { schemes: ['https:'], allowLoopback: false } as const;
const onOneMachine = { schemes: ['https:'], allowLoopback: true } as const;
const problem = (url: string, rules: typeof onAws | typeof onOneMachine = onAws) => targetProblem(new URL(url), rules);

test.each(['https://example.com/hook?key=1', 'https://93.184.216.34:8443/', 'https://[2606:4700::1111]/'])(
  '%s is a target',
  (url) => {
    expect(problem(url)).toBeUndefined();
  },
);

/** Every text form of addresses that are not public. */
const forbiddenHosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[::127.0.0.1]',
  '[2001:db8::5efe:127.0.0.1]',
  '169.254.169.254',
  '0xa9fea9fe',
  '169.254.170.2',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[fd12:3456::1]',
  '[fc00::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'localhost.',
  '①②⑦.0.0.1',
  '127。0。0。1',
];

test.each(forbiddenHosts)('https://%s/ is no target', (host) => {
  expect(problem(`https://${host}/`)?.message).toMatch(/^The host of the URL must /);
});

test.each(['https://localhost/', 'http://localhost:3000/', 'http://127.0.0.1/', 'https://[::1]/'])(
  'the message for %s names the setting that allows it on one machine',
  (url) => {
    expect(problem(url)).toMatchObject({
      code: 'loopback',
      message: expect.stringContaining('ALLOW_LOOPBACK_TARGETS=on'),
    });
    expect(problem('https://10.0.0.1/')).toEqual({
      code: 'not_public',
      message: 'The host of the URL must have public addresses only.',
    });
  },
);

test.each(['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd'])(
  '%s has a scheme that is not allowed',
  (url) => {
    expect(problem(url)).toEqual({ code: 'scheme', message: 'The URL must begin with https://.' });
  },
);

test('a URL with a password is no target', () => {
  expect(problem('https://user:secret@example.com/')).toMatchObject({ code: 'url_credentials' });
});

test('on one machine a setting allows loopback with http and https, and nothing else', () => {
  for (const url of ['http://127.0.0.1:8000/', 'http://localhost:8000/', 'http://[::1]:8000/', 'https://localhost/']) {
    expect(problem(url, onOneMachine), url).toBeUndefined();
  }
  for (const url of ['http://example.com/', 'http://10.0.0.1/', 'https://10.0.0.1/', 'https://[::ffff:7f00:1]/']) {
    expect(problem(url, onOneMachine), url).toBeDefined();
  }
});

test('an address to which a name resolves is checked alike', () => {
  expect(addressProblem('93.184.216.34', onAws)).toBeUndefined();
  for (const address of ['127.0.0.1', '::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', 'fd00::1', 'fe80::1%eth0', 'x', '']) {
    expect(addressProblem(address, onAws), address).toBeDefined();
  }
  expect(addressProblem('::1', onOneMachine)).toBeUndefined();
  expect(addressProblem('::ffff:7f00:1', onOneMachine)).toBeDefined();
});

test.each([
  ['10.0.0.5', 'off', true],
  ['93.184.216.34', 'off', true],
  ['127.0.0.1', 'off', false],
  ['127.0.0.1', 'on', true],
  ['169.254.169.254', 'on', false],
  ['2606:4700::1111', 'off', false],
  ['2606:4700::1111', 'on', true],
  ['not an address', 'on', false],
])('%s as the address of a node, with the settings %s: %s', (address, settings, isAllowed) => {
  const rules = { allowLoopback: settings === 'on', allowIpv6: settings === 'on' };
  expect(nodeAddressProblem(address, rules) === undefined).toBe(isAllowed);
});
