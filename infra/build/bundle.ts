import { globSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { repositoryRoot } from '../repository-root.ts';
import { leanSchemas } from './lean-schemas.ts';
import { leanSdk } from './lean-sdk.ts';
import { leanSsh } from './lean-ssh.ts';
import { scriptsAsText } from './scripts-as-text.ts';

const options = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  platform: 'node',
  target: 'node24',
  // ES modules can be tree-shaken; the default order for Node selects the CommonJS builds of packages.
  mainFields: ['module', 'main'],
  // Identifiers stay readable in stack traces. Source maps would slow down cold starts.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  // Removes code that the bundler cannot recognise as unused.
  plugins: [...leanSdk, leanSchemas, leanSsh, scriptsAsText],
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

const functionOptions = {
  ...options,
  // An ES module that imports node:http evaluates all its exports, one of which loads undici: 30 ms per cold start.
  // `require` evaluates only the exports that are used.
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // The folder of the bundle, where the function `dashboard` has its files.
  define: { 'import.meta.dirname': '__dirname' },
  alias: { '@aws-sdk/credential-provider-node': join(repositoryRoot, 'functions/aws/lambda-credentials.ts') },
  // Optional native modules of ssh2.
  external: ['*.node', 'cpu-features'],
} satisfies BuildOptions;

const encoderOptions = { ...options, format: 'esm', outExtension: { '.js': '.mjs' } } satisfies BuildOptions;

const entryEnding = '.lambda.ts';

/** Every module below `functions/` that exports a Lambda handler, without its ending. */
export const handlers: readonly string[] = globSync(`**/*${entryEnding}`, { cwd: join(repositoryRoot, 'functions') })
  .map((path) => path.replaceAll('\\', '/').slice(0, -entryEnding.length))
  .toSorted();

/** The file of a handler and its bundle, relative to the repository and to the folder with all bundles. */
export const handlerFiles = (name: string): BundleFiles => ({
  entry: `functions/${name}${entryEnding}`,
  output: `functions/${name}/index.cjs`,
});
export const encoderFiles: BundleFiles = { entry: 'encoder-task/main.ts', output: 'encoder-task/main.mjs' };
export type BundleFiles = { entry: string; output: string };

/**
 * Bundles every handler as `functions/<name>/index.cjs` into `folder`, and creates the build context of the encoder
 * image: `encoder-task/main.mjs`, `encoder-task/Dockerfile` and `encoder-task/install-ffmpeg.sh`. The same sources
 * produce the same bytes. Returns the modules that each file contains after tree shaking.
 */
export async function bundle(folder: string): Promise<Metafile['outputs']> {
  const [functions, encoder] = await Promise.all([
    bundleFunctions(folder, handlers),
    bundleEncoder(folder),
    copyImageFiles(folder),
  ]);
  return { ...functions.outputs, ...encoder.outputs };
}

/** One esbuild call for all functions parses the SDK once. */
export async function bundleFunctions(folder: string, names: readonly string[]): Promise<Metafile> {
  const entryPoints = Object.fromEntries(names.map((name) => [`functions/${name}/index`, handlerFiles(name).entry]));
  return (await build({ ...functionOptions, entryPoints, outdir: folder })).metafile;
}

export async function bundleEncoder(folder: string): Promise<Metafile> {
  const entryPoints = { 'encoder-task/main': encoderFiles.entry };
  return (await build({ ...encoderOptions, entryPoints, outdir: folder })).metafile;
}

export async function copyImageFiles(folder: string): Promise<void> {
  await mkdir(join(folder, 'encoder-task'), { recursive: true });
  for (const name of ['Dockerfile', 'build-whisper.sh', 'install-ffmpeg.sh']) {
    const file = join('encoder-task', name);
    await copyFile(join(repositoryRoot, file), join(folder, file));
  }
}
