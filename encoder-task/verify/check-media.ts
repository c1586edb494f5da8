import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encoderRuns, initFile } from '../../shared/protocol/track-files.ts';
import { checkImage, checkSprites } from './check-thumbnails.ts';
import { checkDash } from './dash.ts';
import { checkHls } from './hls.ts';
import { checkMp4 } from './mp4.ts';
import { readText } from './read-bytes.ts';
import { createRenditionReader, type ReadRendition } from './read-rendition.ts';
import type { Report } from './rendition.ts';

/** Problems of finished media, one line each, and the number of checked entries. */
export type Checked = { entries: number; problems: string[] };

/**
 * Checks the manifest or file at a URL or path, or everything in a folder that a player opens: master playlists, MPDs,
 * progressive MP4s with or without video, posters and sprites. Throws when the location does not exist.
 */
export async function checkMedia(location: string): Promise<Checked> {
  const problems = new Set<string>();
  const report: Report = (where, what) => void problems.add(`${where}: ${what}`);
  const read = createRenditionReader(report);
  const entries = await entriesOf(location);
  for (const url of entries) await checkEntry(url, read, report);
  return { entries: entries.length, problems: [...problems] };
}

async function entriesOf(location: string): Promise<URL[]> {
  if (/^https?:\/\//.test(location)) return [new URL(location)];
  if ((await stat(location)).isFile()) return [pathToFileURL(location)];
  const found: URL[] = [];
  for (const file of (await readdir(location, { recursive: true })).sort()) {
    const url = pathToFileURL(join(location, file));
    if (await isEntry(url)) found.push(url);
  }
  return found;
}

async function isEntry(url: URL): Promise<boolean> {
  const name = basename(url.pathname);
  if (/\.(mpd|vtt)$/.test(name) || /^poster\.(jpg|webp)$/.test(name)) return true;
  if (/\.(mp4|m4a)$/.test(name)) return !encoderRuns.map(initFile).includes(name);
  return name.endsWith('.m3u8') && (await readText(url)).includes('#EXT-X-STREAM-INF');
}

async function checkEntry(url: URL, read: ReadRendition, report: Report): Promise<void> {
  const kind = /\.(\w+)$/.exec(url.pathname)?.[1];
  if (kind === 'm3u8') await checkHls(url, read, report);
  else if (kind === 'mpd') await checkDash(url, read, report);
  else if (kind === 'mp4' || kind === 'm4a') await checkMp4(url, report);
  else if (kind === 'vtt') await checkSprites(url, report);
  else await checkImage(url, report);
}
