import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack, Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type BuildOptions, buildSync } from 'esbuild';

export const repositoryRoot = join(import.meta.dirname, '..');

const options = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // The packages' ES modules can be tree shaken; Node's default order would take their CommonJS builds.
  mainFields: ['module', 'main'],
  minify: true,
  // Names of functions and errors are read by people (stack traces) and by the state machine (error names).
  keepNames: true,
  legalComments: 'none',
  outExtension: { '.js': '.mjs' },
  // ssh2 tries its native parts and goes on without them.
  external: ['*.node', 'cpu-features'],
  // CommonJS packages inside the bundle call require for Node's own modules.
  banner: { js: "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url);" },
  logLevel: 'error',
} satisfies BuildOptions;

/**
 * Bundles every handler in one esbuild call, which reads the SDK once for all of them, and the encoder task with its Dockerfile as a build
 * context of two files. Nothing is built when the CLI needs no assets (`cdk ls`, `cdk destroy`).
 * @param handlers paths below `functions/` without extension, such as `api/videos`
 */
export function bundle(stack: Stack, handlers: readonly string[]): void {
  if (!stack.bundlingRequired) return;
  const outDirectory = Stage.of(stack)!.outdir;
  buildSync({
    ...options,
    entryPoints: Object.fromEntries(handlers.map((name) => [`functions/${name}/index`, `functions/${name}.ts`])),
    outdir: outDirectory,
  });
  buildSync({ ...options, entryPoints: { 'encoder-task/main': 'encoder-task/main.ts' }, outdir: outDirectory });
  copyFileSync(join(repositoryRoot, 'encoder-task/Dockerfile'), join(outDirectory, 'encoder-task/Dockerfile'));
}

/** The folder with `index.mjs` of a handler; without bundles its sources stand in, as in the CDK's own constructs. */
export const handlerDirectory = (scope: Construct, name: string): string =>
  bundledDirectory(scope, join('functions', name), 'functions');

/** The build context of the encoder image: `Dockerfile` and `main.mjs`. */
export const encoderDirectory = (scope: Construct): string => bundledDirectory(scope, 'encoder-task', 'encoder-task');

function bundledDirectory(scope: Construct, bundled: string, sources: string): string {
  if (!Stack.of(scope).bundlingRequired) return join(repositoryRoot, sources);
  return join(Stage.of(scope)!.outdir, bundled);
}
