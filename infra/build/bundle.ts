import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { handlers } from '../constructs/handlers.ts';
import { leanBundle } from './lean-bundle.ts';
import { leanSsh } from './lean-ssh.ts';
import { scriptsAsText } from './scripts-as-text.ts';

const repositoryRoot = join(import.meta.dirname, '../..');

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
  plugins: [...leanBundle, leanSsh, scriptsAsText],
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

/**
 * Bundles every handler as `functions/<name>/index.cjs` into `folder`, and creates the build context of the encoder
 * image: `encoder-task/main.mjs` and `encoder-task/Dockerfile`. One esbuild call for all functions parses the SDK once.
 * The same sources produce the same bytes. Returns the modules that each file contains after tree shaking.
 */
export async function bundle(folder: string): Promise<Metafile['outputs']> {
  const entryPoints = Object.fromEntries(handlers.map((name) => [`functions/${name}/index`, `functions/${name}.ts`]));
  const [functions, encoder] = await Promise.all([
    build({ ...functionOptions, entryPoints, outdir: folder }),
    build({ ...encoderOptions, entryPoints: { 'encoder-task/main': 'encoder-task/main.ts' }, outdir: folder }),
  ]);
  await copyFile(join(repositoryRoot, 'encoder-task/Dockerfile'), join(folder, 'encoder-task/Dockerfile'));
  return { ...functions.metafile.outputs, ...encoder.metafile.outputs };
}
