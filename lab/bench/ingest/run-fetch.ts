import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { GeneratedSource } from './generated-source.ts';

export type FetchUse = { sizeBytes: number; seconds: number; peakRssBytes: number };

/**
 * Fetches a file in a separate process, whose memory is measured. The code is bundled, as in the image of workers:
 * Node needs 30 MiB to read TypeScript.
 */
export async function runFetch({ sourceUrl, storeUrl }: Pick<GeneratedSource, 'sourceUrl' | 'storeUrl'>) {
  const folder = await mkdtemp(join(tmpdir(), 'run-fetch-'));
  try {
    const outfile = join(folder, 'fetch-file.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'fetch-file.ts')],
      outfile,
      logLevel: 'warning',
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, sourceUrl, storeUrl]);
    return JSON.parse(stdout) as FetchUse;
  } finally {
    await rm(folder, { recursive: true });
  }
}
