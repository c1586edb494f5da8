import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leanSchemas } from '../../../infra/build/lean-schemas.ts';
import { repositoryRoot } from '../../../infra/repository-root.ts';

const entry = `
  import { GetParameterCommand, ParameterNotFound, SSMClient, SSMServiceException } from '@aws-sdk/client-ssm';
  export async function callParameterStore(endpoint) {
    const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
    const client = new SSMClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
    const error = await client.send(new GetParameterCommand({ Name: 'n' })).catch((thrown) => thrown);
    return { error, isNotFound: error instanceof ParameterNotFound, isOfService: error instanceof SSMServiceException };
  }
`;

let folder: string;
let outfile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lean-schemas-'));
  outfile = join(folder, 'call.cjs');
  await build({
    stdin: { contents: entry, resolveDir: repositoryRoot },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    plugins: [leanSchemas],
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true }));

async function answerOf(type: string): Promise<unknown> {
  const server = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ __type: type, message: 'It is so.', Detail: 'more' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { callParameterStore } = await import(pathToFileURL(outfile).href);
    return await callParameterStore(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

test('an error that functions ask for is an instance of its class', async () => {
  expect(await answerOf('ParameterNotFound')).toMatchObject({
    error: { name: 'ParameterNotFound', message: 'It is so.' },
    isNotFound: true,
    isOfService: true,
  });
});

test('another error has its name, message and fields, and the class of the client', async () => {
  expect(await answerOf('InvalidKeyId')).toMatchObject({
    error: { name: 'InvalidKeyId', message: 'It is so.', Detail: 'more', $metadata: { httpStatusCode: 400 } },
    isNotFound: false,
    isOfService: true,
  });
});

test('a bundle has no classes of errors that no code asks for', async () => {
  const code = await readFile(outfile, 'utf8');
  expect(code).toContain('ParameterNotFound');
  expect(code).not.toContain('AutomationDefinitionNotFound');
});

test('schemas that the patterns no longer match fail the build', async () => {
  const client = join(folder, 'client-new/dist-es');
  await mkdir(join(client, 'schemas'), { recursive: true });
  await mkdir(join(client, 'models'), { recursive: true });
  await writeFile(join(client, 'models/errors.js'), '');
  const bundled = async (schemas: string) => {
    await writeFile(join(client, 'schemas/schemas_0.js'), schemas);
    const entryPoints = [join(client, 'schemas/schemas_0.js')];
    return build({ entryPoints, bundle: true, write: false, plugins: [leanSchemas], logLevel: 'silent' });
  };
  const names = 'const _K = "Key";\nexport const object = { [_K]: 1 };\n';
  const errors = 'const n0_registry = { registerError() {} }, A$ = 0, A = 0;\nn0_registry.registerError(A$, A);\n';
  await bundled(names + errors);
  for (const schemas of [names, errors]) {
    await expect(bundled(schemas)).rejects.toThrow(/compare them with the patterns there, and correct the patterns/);
  }
});
