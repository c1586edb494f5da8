import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Stack, Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { handlers } from './handlers.ts';

const repositoryRoot = join(import.meta.dirname, '..');

/** Half of zod is its messages in 50 languages, which its namespace import keeps in every bundle: 250 KB for each function. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ path }) => ({ path, namespace: 'no-locales' }));
    onLoad({ filter: /.*/, namespace: 'no-locales' }, () => ({ contents: 'export {}' }));
  },
};

const options = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // The packages' ES modules can be tree shaken; Node's default order would take their CommonJS builds.
  mainFields: ['module', 'main'],
  // Names stay: stack traces are read as they come, without source maps, whose parsing a cold start would pay for.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  outExtension: { '.js': '.mjs' },
  // ssh2 tries its native parts and goes on without them.
  external: ['*.node', 'cpu-features'],
  // CommonJS packages inside the bundle call require for Node's own modules.
  banner: { js: "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url);" },
  plugins: [englishOnly],
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Bundles into `folder` every handler as `functions/<name>/index.mjs`, and the build context of the encoder image, `encoder-task`, of two files:
 * `main.mjs` and `Dockerfile`. One esbuild call reads the SDK once for all. The same sources make the same bytes.
 */
export async function bundle(folder: string): Promise<void> {
  const entryPoints = Object.fromEntries(handlers.map((name) => [`functions/${name}/index`, `functions/${name}.ts`]));
  await build({
    ...options,
    entryPoints: { ...entryPoints, 'encoder-task/main': 'encoder-task/main.ts' },
    outdir: folder,
  });
  await copyFile(join(repositoryRoot, 'encoder-task/Dockerfile'), join(folder, 'encoder-task/Dockerfile'));
}

/** The folder of a handler's bundle. Where the app is synthesised without bundles, the sources stand in, as in the CDK's own constructs. */
export const handlerFolder = (scope: Construct, name: string): string =>
  isBundled(scope) ? join(outFolder(scope), 'functions', name) : join(repositoryRoot, 'functions');

/** The build context of the encoder image. */
export const encoderFolder = (scope: Construct): string =>
  isBundled(scope) ? join(outFolder(scope), 'encoder-task') : join(repositoryRoot, 'encoder-task');

/** False for commands of the CLI that need no assets, such as `cdk ls` and `cdk destroy`. */
const isBundled = (scope: Construct): boolean => Stack.of(scope).bundlingRequired;

const outFolder = (scope: Construct): string => Stage.of(scope)!.outdir;
