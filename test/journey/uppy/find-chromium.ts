import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of Chromium: the variable CHROMIUM, or the first one on the PATH. */
export async function findChromium(): Promise<string> {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const candidates = process.env.PATH!.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  for (const candidate of candidates) {
    if (await access(candidate).then(yes, no)) return candidate;
  }
  throw new Error('There is no Chromium: put it on the PATH, or set CHROMIUM to its path.');
}

const yes = () => true;
const no = () => false;
