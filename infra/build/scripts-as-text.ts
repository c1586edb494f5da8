import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Embeds the shell scripts for servers as text, so that a bundle is one file. In the repository they are files. */
export const scriptsAsText: Plugin = {
  name: 'scripts-as-text',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]functions[\\/]nodes[\\/]steps[\\/]script-texts\.ts$/ }, async ({ path }) => {
      const folder = join(dirname(path), 'scripts');
      const names = (await readdir(folder)).toSorted();
      const texts = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')]));
      return { contents: `export const scriptTexts = ${JSON.stringify(Object.fromEntries(texts))};` };
    });
  },
};
