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
  // The packages' ES modules can be tree shaken; Node's default order would take their CommonJS builds.
  mainFields: ['module', 'main'],
  // Names stay: stack traces are read as they come, without source maps, whose parsing a cold start would pay for.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  plugins: [...leanBundle, leanSsh, scriptsAsText],
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

const functionOptions = {
  ...options,
  // An ES module that imports node:http reads all it exports, one of which loads undici: 30 ms for each cold start. `require` reads what is used.
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  alias: { '@aws-sdk/credential-provider-node': join(repositoryRoot, 'functions/aws/lambda-credentials.ts') },
  // ssh2 tries its native parts and goes on without them.
  external: ['*.node', 'cpu-features'],
} satisfies BuildOptions;

const encoderOptions = { ...options, format: 'esm', outExtension: { '.js': '.mjs' } } satisfies BuildOptions;

/**
 * Bundles into `folder` every handler as `functions/<name>/index.cjs`, and the build context of the encoder image, `encoder-task`, of two files:
 * `main.mjs` and `Dockerfile`. One esbuild call reads the SDK once for all functions. The same sources make the same bytes. Returns which modules each
 * file is made of, those that tree shaking left out not among them.
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
