import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leanSdk } from '../../../infra/build/lean-sdk.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lean-sdk-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** The bundle of code that imports a client, whose module has this content. */
async function bundleOf(name: string, client: string): Promise<string> {
  const packages = {
    [name]: client,
    '@smithy/core/event-streams': 'export const streams = "code of event streams";',
    '@aws-sdk/endpoint-cache': 'export class EndpointCache { discover = "code of endpoint discovery"; }',
  };
  for (const [path, content] of Object.entries(packages)) {
    const file = join(folder, 'node_modules', path, 'index.js');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const { outputFiles } = await build({
    stdin: { contents: `import { client } from '${name}'; console.log(client);`, resolveDir: folder },
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [...leanSdk],
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

const streams = "export const client = () => import('@smithy/core/event-streams');";
const cache = "import { EndpointCache } from '@aws-sdk/endpoint-cache'; export const cache = new EndpointCache();";

test('event streams and endpoint discovery are not bundled', async () => {
  const code = await bundleOf('@aws-sdk/client-dynamodb', `${cache} ${streams}`);
  expect(code).toContain('EndpointCache');
  expect(code).not.toContain('code of');
});

test('event streams that a client imports statically are bundled, since it needs them', async () => {
  const needed = `import { streams } from '@smithy/core/event-streams';
    export const client = [streams, () => import('@smithy/core/event-streams')];`;
  expect(await bundleOf('@aws-sdk/client-s3', needed)).toContain('code of event streams');
});

test.each([
  ['@smithy/core/event-streams', '@aws-sdk/client-s3', 'export const client = 1;'],
  ['@smithy/core/event-streams', '@aws-sdk/client-dynamodb', `${cache} export const client = 1;`],
  ['@aws-sdk/endpoint-cache', '@aws-sdk/client-dynamodb', streams],
])('the build fails when %s is not imported any more by %s', async (path, name, client) => {
  await expect(bundleOf(name, client)).rejects.toThrow(
    `${name} does not import ${path} any more: see what it has instead, and correct or delete the entry in infra/build/lean-sdk.ts`,
  );
});

test('code without a client is bundled as it is', async () => {
  expect(await bundleOf('package', 'export const client = 1;')).toContain('client = 1');
});
