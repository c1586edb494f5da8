import { join } from 'node:path';
import { ensurePackages, exitWith, runNode } from '../setup.mjs';

/**
 * `npm run backup`, `restore` and `check:data`: installs the packages when they are missing, as on a new machine, and
 * runs the command named first.
 */
await exitWith(async () => {
  const [command = '', ...args] = process.argv.slice(2);
  ensurePackages();
  return runNode([join(import.meta.dirname, `${command}.ts`), ...args]);
});
