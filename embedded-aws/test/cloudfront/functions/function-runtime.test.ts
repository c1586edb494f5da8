import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { requestEvent } from '../../../src/cloudfront/functions/function-event.ts';
import { readRequestResult, readResponse } from '../../../src/cloudfront/functions/function-result.ts';
import { compileFunction } from '../../../src/cloudfront/functions/function-runtime.ts';

const arn = 'arn:aws:cloudfront::000000000000:function/check';
const items = new Map([
  ['key/k1', 'secret'],
  ['json', '{"a":1}'],
]);
const reader = {
  get: (key: string) => items.get(key),
  meta: () => ({ creationDateTime: 'c', lastUpdatedDateTime: 'm', keyCount: items.size }),
};
const lines: string[] = [];
const compile = (code: string, store: typeof reader | undefined = reader) =>
  compileFunction({ arn, code }, store, (line) => lines.push(line));
/** Runs the body of a handler. */
const run = async (body: string) => compile(`async function handler(event) { ${body} }`)({ a: 1 });

test('bundled code loads the modules of the runtime', async () => {
  const code =
    'import cf from"cloudfront";import crypto from"crypto";var store=cf.kvs();' +
    'async function handler(event){var key=await store.get("key/k1");' +
    'return crypto.createHmac("sha256",Buffer.from(key)).update(event.text).digest("base64url")}';
  const expected = createHmac('sha256', 'secret').update('text').digest('base64url');
  expect(await compile(code)({ text: 'text' })).toBe(expected);
});

test('a function reads its key-value store', async () => {
  const kvs = "const kvs = require('cloudfront').kvs();";
  expect(await run(`${kvs} return [await kvs.exists('key/k1'), await kvs.exists('none'), await kvs.count()];`)).toEqual(
    [true, false, 2],
  );
  expect(await run(`${kvs} return (await kvs.get('json', { format: 'json' })).a;`)).toBe(1);
  await expect(run(`${kvs} return kvs.get('none');`)).rejects.toThrow('KeyNotFound');
});

test('without an association, reads fail', () => {
  const code = "var s = require('cloudfront').kvs(); function handler() {}";
  expect(() => compileFunction({ arn, code }, undefined, () => {})).toThrow('not associated');
});

test.each([
  ["eval('1')", 'Code generation from strings'],
  ["new Function('return 1')()", 'Code generation from strings'],
  ['setTimeout(function () {}, 1)', 'setTimeout is not defined'],
  ["fetch('http://127.0.0.1')", 'fetch is not defined'],
  ['process.exit()', 'process is not defined'],
  ['new WebAssembly.Module()', 'WebAssembly is not defined'],
  ["require('fs')", 'Cannot find module "fs"'],
  ["require('crypto').createHash('sha512')", 'not supported algorithm'],
  ['undeclared = 1', 'undeclared is not defined'],
])('%s is not available', async (code, message) => {
  await expect(run(`return ${code};`)).rejects.toThrow(message);
});

test('code that is too large or invalid is refused before the first request', () => {
  expect(() => compile(`function handler() {} // ${'x'.repeat(10 * 1024)}`)).toThrow('at most 10240');
  expect(() => compile('function handler( {')).toThrow(SyntaxError);
  expect(() => compile('export function handler() {}')).toThrow(SyntaxError);
  expect(() => compile('function main() {}')).toThrow();
});

test('console.log writes a line', async () => {
  await run("console.log('found', 1);");
  expect(lines).toEqual(['found 1']);
});

const viewer = {
  method: 'GET',
  path: '/s/x',
  query: 'a=1&a=2&b=%20',
  rawHeaders: ['Host', 'edge', 'Accept', 'a', 'Accept', 'b', 'Cookie', 's=1; t=2', '__proto__', 'x'],
  address: '192.0.2.1',
};
const context = {
  distributionDomainName: 'd',
  distributionId: 'D',
  eventType: 'viewer-request',
  requestId: 'r',
} as const;
const event = () => requestEvent(viewer, context);

test('the event of a request has the documented form', () => {
  expect(event()).toEqual({
    version: '1.0',
    context,
    viewer: { ip: '192.0.2.1' },
    request: {
      method: 'GET',
      uri: '/s/x',
      querystring: { a: { value: '1', multiValue: [{ value: '1' }, { value: '2' }] }, b: { value: '%20' } },
      headers: { host: { value: 'edge' }, accept: { value: 'a', multiValue: [{ value: 'a' }, { value: 'b' }] } },
      cookies: { s: { value: '1' }, t: { value: '2' } },
    },
  });
});

const changed = (changes: object) => ({ ...event().request, ...changes });
const headers = (given: object) => changed({ headers: { ...event().request.headers, ...given } });

test.each([
  ['no object', undefined],
  ['a uri without a slash', changed({ uri: 'x' })],
  ['a uri with a query', changed({ uri: '/x?y' })],
  ['another method', changed({ method: 'POST' })],
  ['another host', headers({ host: { value: 'other' } })],
  ['a header of CloudFront', headers({ 'x-edge-location': { value: 'x' } })],
  ['a name in upper case', headers({ 'X-Own': { value: 'x' } })],
  ['a value that is no text', headers({ own: { value: 1 } })],
  ['a header without the form of an event', headers({ own: 'x' })],
  ['a line break in a value', headers({ own: { value: 'a\nb' } })],
])('a request with %s is refused', (_, result) => {
  expect(() => readRequestResult(result, event().request, { host: 'edge' })).toThrow(/must|read-only|not|neither|has/);
});

test('a changed path and an added header are accepted', () => {
  const result = readRequestResult(headers({ own: { value: 'x' } }), event().request, { host: 'edge' });
  expect(result).toMatchObject({ request: { uri: '/s/x', headers: { own: { value: 'x' } } } });
});

test('a response has a status, headers, cookies and a body of at most 40 KB', () => {
  const response = {
    statusCode: 410,
    headers: { 'content-type': { value: 'application/json' } },
    cookies: { a: { value: '1', attributes: 'Secure' } },
    body: { encoding: 'base64', data: 'e30=' },
  };
  expect(readResponse(response, {})).toEqual({
    statusCode: 410,
    headers: { 'content-type': 'application/json', 'set-cookie': ['a=1; Secure'] },
    body: Buffer.from('{}'),
  });
  expect(() => readResponse({ ...response, body: 'x'.repeat(40 * 1024 + 1) }, {})).toThrow('at most 40960');
  expect(() => readResponse({ ...response, statusCode: 99 }, {})).toThrow('status code');
  expect(() => readResponse({ ...response, headers: { 'content-length': { value: '1' } } }, {})).toThrow('read-only');
});
