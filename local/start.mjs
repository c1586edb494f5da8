import { join } from 'node:path';
import { ensureFfmpeg, ensurePackages, exitWith, memoryOptions, root, runNode } from './setup.mjs';

/** `npm start`: installs what is missing, then starts the service with the same arguments. */
await exitWith(async () => {
  ensurePackages();
  ensureFfmpeg();
  // glibc reads it at the start of a process. By default, each thread of a function would keep freed memory in a
  // separate arena.
  process.env.MALLOC_ARENA_MAX ??= '2';
  // Without it, every start strips the types of all modules again, and keeps the compiler that does so in memory.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled');
  return runNode([...memoryOptions, join(root, 'local/main.ts'), ...process.argv.slice(2)]);
});
