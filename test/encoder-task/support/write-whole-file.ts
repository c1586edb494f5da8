import { rename, writeFile } from 'node:fs/promises';

/** Writes a file as the muxer writes a segment: without its whole content, it never has its name. */
export async function writeWholeFile(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.tmp`, content);
  await rename(`${path}.tmp`, path);
}
