import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundle, handlers } from '../../../infra/build/bundle.ts';
import { functionEnvironment } from '../../../test/fixtures/function-environment.ts';
import { median, type Row, row } from '../row.ts';

type Measured = { name: string; kilobytes: number; services: string[]; milliseconds: number[] };

/** Nearly all functions read the table and a parameter. */
const basicServices = new Set(['DynamoDB', 'SSM']);

const importTimer = `
  const startMs = performance.now();
  await import(process.argv[1]);
  process.stdout.write(String(performance.now() - startMs), () => process.exit());
`;

/**
 * The cold start of each function: its bundle size, and the time a new process takes to import it, compared with a
 * plain bundle of the same packages that is measured before each one. A row has the maximum and the median of a kind;
 * single functions are printed to stderr.
 */
export async function measureBundles(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bundles-'));
  try {
    await Promise.all([bundle(folder), bundlePlainHandler(join(folder, 'plain.mjs'))]);
    const files = handlers.map((name) => [name, join(folder, 'functions', name, 'index.cjs')] as const);
    const plain = await look('plain', join(folder, 'plain.mjs'));
    const ours = await Promise.all(files.map(([name, file]) => look(name, file)));
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const [index, [, file]] of files.entries()) {
        plain.milliseconds.push(await importMilliseconds(join(folder, 'plain.mjs')));
        ours[index]!.milliseconds.push(await importMilliseconds(file));
      }
    }
    for (const { name, kilobytes, milliseconds, services } of [plain, ...ours]) {
      process.stderr.write(
        `${name}: ${kilobytes.toFixed(0)} KB, ${median(milliseconds).toFixed(0)} ms, ${services.join(', ')}\n`,
      );
    }
    const basic = ours.filter(({ services }) => services.length > 0 && services.every((one) => basicServices.has(one)));
    const withS3 = ours.filter(({ services }) => services.includes('S3'));
    return [
      ...rowsOf('table and parameters', basic, plain, { kilobytes: 600, milliseconds: 90, ratio: 0.7 }),
      ...rowsOf('with S3', withS3, plain, { kilobytes: 850, milliseconds: 120 }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function look(name: string, file: string): Promise<Measured> {
  const code = await readFile(file, 'utf8');
  const services = code.matchAll(/serviceId\s*\?\?\s*"([^"]+)"/g).map(([, service]) => service!);
  return { name, kilobytes: Buffer.byteLength(code) / 1000, services: [...new Set(services)], milliseconds: [] };
}

async function importMilliseconds(file: string): Promise<number> {
  const arguments_ = ['--input-type=module', '--eval', importTimer, file];
  const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' };
  const env = { ...functionEnvironment, ...credentials };
  return Number((await promisify(execFile)(process.execPath, arguments_, { env })).stdout);
}

type Aims = { kilobytes: number; milliseconds: number; ratio?: number };

function rowsOf(kind: string, measured: Measured[], plain: Measured, aims: Aims): Row[] {
  const largest = measured.toSorted((a, b) => b.kilobytes - a.kilobytes)[0]!;
  const ratio = aims.ratio === undefined ? {} : { ratioAtMost: aims.ratio };
  return [
    row({
      name: `largest bundle, ${kind}: ${largest.name}`,
      unit: 'KB',
      atMost: aims.kilobytes,
      ...ratio,
      value: largest.kilobytes,
      baseline: plain.kilobytes,
    }),
    row({
      name: `import of a bundle, ${kind}`,
      unit: 'ms',
      atMost: aims.milliseconds,
      ...ratio,
      value: median(measured.flatMap(({ milliseconds }) => milliseconds)),
      baseline: median(plain.milliseconds),
    }),
  ];
}

const source = `
  import middy from '@middy/core';
  import * as z from 'zod';
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const key = z.object({ pk: z.string() });
  export const handler = middy().handler((event) => documents.send(new GetCommand({ TableName: 'table', Key: key.parse(event) })));
`;

/** A minimal handler with the same packages, bundled for Node with default options and without white space. */
async function bundlePlainHandler(outfile: string): Promise<void> {
  await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, '../../..') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
}
