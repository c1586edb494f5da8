import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

/** The package: the library as modules with types, and the command as one file without dependencies. */
rmSync(join(folder, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', folder], { stdio: 'inherit' });
const command = join(folder, 'dist/cli.js');
await build({
  entryPoints: [join(folder, 'cli/main.ts')],
  outfile: command,
  bundle: true,
  platform: 'node',
  target: 'node20.3',
  format: 'esm',
  legalComments: 'inline',
  logLevel: 'warning',
});
chmodSync(command, 0o755);
