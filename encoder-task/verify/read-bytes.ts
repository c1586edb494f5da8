import { readFile } from 'node:fs/promises';

/** A whole file, from the disk or over HTTP. Throws when it does not exist. */
export async function readBytes(url: URL): Promise<Buffer> {
  if (url.protocol === 'file:') return readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

export const readText = async (url: URL): Promise<string> => (await readBytes(url)).toString();
