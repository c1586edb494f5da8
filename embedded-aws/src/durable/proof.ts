import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { DamagedData } from './damaged-data.ts';

/**
 * What a file has to contain. It is in a second file beside it, `<file>.proof`, so that a missing, changed or older
 * copy of either is noticed.
 */
export type Proof = {
  /** More than one while the file is replaced. Null: the file does not exist yet. */
  states: (FileState | null)[];
  /** False for a file that has grown since: it begins with such a state. */
  isWhole: boolean;
};
export type FileState = { bytes: number; crc32: number };

const proofSchema = z.object({
  states: z.array(z.object({ bytes: z.int().nonnegative(), crc32: z.int().nonnegative() }).nullable()).min(1),
  isWhole: z.boolean(),
});
export const proofEnding = '.proof';
export const proofOf = (path: string): string => `${path}${proofEnding}`;

export const stateOf = (content: Buffer): FileState => ({ bytes: content.length, crc32: crc32(content) });

/** Undefined for a file of an earlier version of this project. @throws DamagedData */
export async function readProof(path: string): Promise<Proof | undefined> {
  const text = await readFile(proofOf(path), 'utf8').catch(undefinedWhenMissing);
  if (text === undefined) return undefined;
  const [checksum = '', json = ''] = text.trimEnd().split(/ (.*)/s);
  if (Number.parseInt(checksum, 16) !== crc32(json) || !text.endsWith('\n')) {
    throw new DamagedData(proofOf(path), 'is damaged.');
  }
  return proofSchema.parse(JSON.parse(json));
}

export async function writeProof(path: string, proof: Proof): Promise<void> {
  const json = JSON.stringify(proof);
  await replaceFile(proofOf(path), `${crc32(json).toString(16)} ${json}\n`);
}

/**
 * Checks a file against its proof, if it has one. It changes nothing. If another process replaces the file at the same
 * time, its proof changes, and the check is repeated.
 * @throws DamagedData
 */
export async function requireProven(path: string): Promise<void> {
  const proof = await readProof(path);
  if (!proof) return;
  await requireState(path, proof).catch(async (error) => {
    if (isDeepStrictEqual(await readProof(path), proof)) throw error;
    await requireProven(path);
  });
}

async function requireState(path: string, proof: Proof): Promise<void> {
  const found = await stat(path).catch(undefinedWhenMissing);
  if (!found) {
    if (proof.states.includes(null)) return;
    throw new DamagedData(path, 'is missing.');
  }
  for (const state of proof.states) {
    if (!state || state.bytes > found.size || (proof.isWhole && state.bytes !== found.size)) continue;
    if ((await beginningOf(path, state.bytes)) === state.crc32) return;
  }
  throw new DamagedData(path, 'is damaged, or is an older copy.');
}

async function beginningOf(path: string, bytes: number): Promise<number> {
  let value = 0;
  if (bytes === 0) return value;
  for await (const chunk of createReadStream(path, { end: bytes - 1, highWaterMark: 1 << 20 })) {
    value = crc32(chunk as Buffer, value);
  }
  return value;
}

/** Replaces a file in one step. When this resolves, it survives a power failure. */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  const fresh = await open(`${path}.new`, 'w', 0o600);
  try {
    await fresh.writeFile(content);
    await fresh.sync();
  } catch (error) {
    await rm(`${path}.new`, { force: true });
    throw error;
  } finally {
    await fresh.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

export function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
