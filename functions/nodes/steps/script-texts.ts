import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'scripts');

/**
 * The scripts by file name, such as `check.sh`. In a bundle they are inside the module: see `infra/build/bundle.ts`.
 */
export const scriptTexts: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
);
