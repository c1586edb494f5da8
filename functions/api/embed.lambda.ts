import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEmbedHandler } from '../embed/embed-handler.ts';

let template: Promise<string> | undefined;

/** The player page of the dashboard's build, which is in the bundle. */
const readTemplate = (): Promise<string> => {
  template ??= readFile(join(import.meta.dirname, 'player.html'), 'utf8');
  return template;
};

export const handler = createEmbedHandler(readTemplate);
