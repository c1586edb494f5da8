import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle, bundleEncoder, bundleFunctions, handlers } from '../../../infra/build/bundle.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { templateOf } from '../synthesised.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
  await bundle(join(folder, 'first'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hashes = async (name: string) => {
  const files = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
  const found = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  return Promise.all(
    found.toSorted().map(async (file) => [
      file.slice(join(folder, name).length),
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ]),
  );
};

test('every handler is bundled into one module, and the encoder into a build context of three files', async () => {
  expect((await hashes('first')).map(([file]) => file)).toEqual(
    [
      '/encoder-task/Dockerfile',
      '/encoder-task/build-whisper.sh',
      '/encoder-task/install-ffmpeg.sh',
      '/encoder-task/main.mjs',
      ...handlers.map((name) => `/functions/${name}/index.cjs`),
    ].toSorted(),
  );
});

test.each(handlers)('%s exports its handler', async (name) => {
  const module = await import(pathToFileURL(join(folder, 'first/functions', name, 'index.cjs')).href);
  expect(module.handler).toBeTypeOf('function');
});

test.each(handlers)('%s contains no code that functions do not use', async (name) => {
  const code = await readFile(join(folder, 'first/functions', name, 'index.cjs'), 'utf8');
  const clientsForCredentials = ['SSOClient', 'SSOOIDCClient', 'SigninClient'];
  const unused = [...clientsForCredentials, 'EventStreamSerde=class', 'SelectObjectContent', 'caractères'];
  expect(unused.filter((part) => code.includes(part))).toEqual([]);
});

/** Clients that few functions need: each adds to the time in which a function starts. */
const rareClients: [client: string, functions: readonly string[]][] = [
  ['CloudFrontKeyValueStore', ['delivery/rotate-keys', 'schedule/sweep', 'setup']],
  // Assumes the roles of storages.
  [
    'STSClient',
    ['api/storages', 'api/workers', 'ingests/continue-ingests', 'storage-deliveries/continue-storage-deliveries'],
  ],
];

test.each(rareClients)('only functions that need it contain the client %s', async (client, functions) => {
  const codes = await Promise.all(
    handlers.map(async (name) => [name, await readFile(join(folder, 'first/functions', name, 'index.cjs'), 'utf8')]),
  );
  const containing = codes.filter(([, code]) => code!.includes(client)).map(([name]) => name);
  expect(containing.toSorted()).toEqual(functions);
});

const environments = new Map(
  Object.values(templateOf('dev', { storeWebhook: true }).findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => [String(Properties.FunctionName), Object.keys(Properties.Environment.Variables)],
  ),
);

// Lambda, or the embedded AWS, sets the variables that begin with AWS_.
test.each(handlers)('%s has every environment variable that its code reads', async (name) => {
  const code = await readFile(join(folder, 'first/functions', name, 'index.cjs'), 'utf8');
  const asked = code.matchAll(/\benv(?:Or|Number)?\d*\("((?!AWS_)[A-Z_]+)"/g).map(([, variable]) => variable!);
  expect(environments.get(`video-service-dev-${name.split('/').at(-1)}`)).toEqual(expect.arrayContaining([...asked]));
});

const builds: [what: string, names: readonly string[]][] = [
  ['every function', handlers],
  ['a few functions', handlers.slice(0, 5)],
];

test.each(sampled(builds, ['a few functions']))(
  'bundling is deterministic for %s and the encoder: a deployment updates only functions that changed',
  async (what, names) => {
    await bundleFunctions(join(folder, what), names);
    await bundleEncoder(join(folder, what));
    const again = await hashes(what);
    expect(again).toHaveLength(names.length + 1);
    expect(await hashes('first')).toEqual(expect.arrayContaining(again));
  },
);
