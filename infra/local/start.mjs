import { join } from 'node:path';
import { ensureFfmpeg, ensurePackages, exitWith, root, runNode } from './setup.mjs';

/** `npm start`: sets up what is missing, then starts the service with the same arguments. */
await exitWith(async () => {
  ensurePackages();
  ensureFfmpeg();
  return runNode([join(root, 'infra/local/main.ts'), ...process.argv.slice(2)]);
});
