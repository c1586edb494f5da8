import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { handlers } from '../../../infra/build/bundle.ts';
import { scriptsAsText } from '../../../infra/build/scripts-as-text.ts';
import { templateOf } from '../synthesised.ts';

/** Set by Lambda or the embedded AWS, not by the stack. */
const byRuntime = /^AWS_/;
/** Absent where the stage, or the start on one machine, has no such setting. */
const onOneMachine = ['SERVICE_SOCKETS', 'NODE_CERTIFICATES'];
const optional = [
  ...onOneMachine,
  'CERTIFICATE_EMAIL',
  'ACME_DIRECTORY',
  'EARLY_WORKER_FUNCTION',
  'EDGE_URL',
  'PARAMETERS_KMS_KEY',
];

const transcription = { model: 'models/base.bin', sha256: '0'.repeat(64) };
const functions = Object.values(
  templateOf('local', { storeWebhook: true, transcription }).findResources('AWS::Lambda::Function'),
).map(({ Properties }) => Properties as { FunctionName: string; Environment: { Variables: Record<string, unknown> } });

const bundles = await build({
  entryPoints: Object.fromEntries(handlers.map((name) => [name, `functions/${name}.lambda.ts`])),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  treeShaking: true,
  write: false,
  outdir: 'bundles',
  plugins: [scriptsAsText],
  logLevel: 'warning',
});

/** Names of the variables that a handler's bundle reads, after tree shaking. */
function readBy(handler: string): string[] {
  const bundle = bundles.outputFiles.find(({ path }) => path.endsWith(`/bundles/${handler}.js`))!;
  return [...bundle.text.matchAll(/\breadEnvironment\d*\(['"](\w+)['"]\)/g)].map(([, name]) => name!);
}

test.each(handlers)('the stack sets every environment variable that %s reads', (handler) => {
  const name = handler.slice(handler.lastIndexOf('/') + 1);
  const { Environment } = functions.find(({ FunctionName }) => FunctionName === `video-service-local-${name}`)!;
  const set = [...Object.keys(Environment.Variables), ...optional];
  const missing = readBy(handler).filter((variable) => !set.includes(variable) && !byRuntime.test(variable));
  expect([...new Set(missing)]).toEqual([]);
});

test('the reads are found', () => {
  expect(readBy('schedule/reap')).toEqual(expect.arrayContaining(['TABLE_NAME', 'MAX_TASKS', 'SUBNETS']));
});
