import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { edgeFunctionCode } from '../../../infra/edge/function-code.ts';
import { findFreePorts } from '../../fixtures/servers/find-free-ports.ts';
import { answeredObject, answerKeys, signedUrlAnswers } from '../../fixtures/signed-url-answers.ts';
import { requestOf } from './run-edge-function.ts';

// The runtime of CloudFront Functions is a version of njs. The oldest njs of the proxies shows that the code has no
// syntax that only other engines know.

/** Runs the handler for each event of the request's body. */
const runner = `
async function run(r) {
  var events = JSON.parse(r.requestText), answers = [];
  for (var i = 0; i < events.length; i++) { var answer = await handler(events[i]); answers.push(answer); }
  r.return(200, JSON.stringify(answers));
}
export default { run };`;

const store = `var entries = ${JSON.stringify(Object.fromEntries(Object.entries(answerKeys).map(([id, key]) => [`key/${id}`, key])))};
function get(key) { return entries[key] === undefined ? Promise.reject(new Error('KeyNotFound')) : Promise.resolve(entries[key]); }
function exists(key) { return Promise.resolve(entries[key] !== undefined); }
export default { kvs: function () { return { get: get, exists: exists }; } };`;

const configuration = (folder: string, port: number): string => `
load_module /usr/lib/nginx/modules/ngx_http_js_module.so;
pid ${folder}/nginx.pid; error_log stderr crit; daemon off; master_process off;
events {}
http {
  js_path ${folder}/; js_import request.js; js_import response.js;
  access_log off; client_body_buffer_size 1m;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location /request { js_content request.run; }
    location /response { js_content response.run; }
  }
}`;

type Answer = { statusCode?: number; uri?: string; body?: { data: string }; headers: Record<string, object> };

test('the functions answer in njs as they do in Node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'njs-'));
  const port = await findFreePorts();
  const request = edgeFunctionCode('viewer-request').replace('"cloudfront"', '"cloudfront.js"');
  await Promise.all([
    writeFile(join(folder, 'cloudfront.js'), store),
    writeFile(join(folder, 'request.js'), request + runner),
    writeFile(join(folder, 'response.js'), edgeFunctionCode('viewer-response') + runner),
    writeFile(join(folder, 'nginx.conf'), configuration(folder, port)),
  ]);
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const run = async (name: string, events: object[]): Promise<Answer[]> => {
      const url = `http://127.0.0.1:${port}/${name}`;
      return (await (await fetch(url, { method: 'POST', body: JSON.stringify(events) })).json()) as Answer[];
    };
    await expect.poll(() => run('request', []).catch(() => undefined), { timeout: 10_000 }).toEqual([]);
    const answers = await run(
      'request',
      signedUrlAnswers.map(({ target, method }) => requestOf(target, method)),
    );
    expect(
      answers.map(({ statusCode, uri, body }) => [statusCode ?? uri, body && JSON.parse(body.data).message]),
    ).toEqual(signedUrlAnswers.map(({ status, message }) => [status === 200 ? `/${answeredObject}` : status, message]));
    const download = requestOf('/videos/x/film.mp4?name=h%20.mp4&download=1');
    const [named] = await run('response', [{ ...download, response: { statusCode: 200, headers: {} } }]);
    expect(named!.headers['content-disposition']).toEqual({
      value: `attachment; filename="h%20.mp4"; filename*=UTF-8''h%20.mp4`,
    });
  } finally {
    nginx.kill();
    await rm(folder, { recursive: true, force: true });
  }
});
