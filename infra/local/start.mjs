import { join } from 'node:path';
import { ensureFfmpeg, ensurePackages, exitWith, root, runNode } from './setup.mjs';

/** `npm start`: sets up what is missing, then starts the service with the same arguments. */
await exitWith(async () => {
  ensurePackages();
  ensureFfmpeg();
  // glibc reads it when a program starts. Otherwise each function's thread keeps freed memory in an arena of its own.
  process.env.MALLOC_ARENA_MAX ??= '2';
  return runNode([join(root, 'infra/local/main.ts'), ...process.argv.slice(2)]);
});
