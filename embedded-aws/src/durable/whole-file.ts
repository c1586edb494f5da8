import { readFile } from 'node:fs/promises';
import { DamagedData } from './damaged-data.ts';
import { readProof, replaceFile, requireProven, stateOf, undefinedWhenMissing, writeProof } from './proof.ts';

/**
 * The value of a small file. Undefined if it was never written. A file of an earlier version of this project gets a
 * proof.
 * @throws DamagedData when it is not what was written, or `parse` throws
 */
export async function readWhole<Value>(path: string, parse: (content: Buffer) => Value): Promise<Value | undefined> {
  await requireProven(path);
  const content = await readFile(path).catch(undefinedWhenMissing);
  if (!content) return undefined;
  let value: Value;
  try {
    value = parse(content);
  } catch {
    // Messages of parsers quote the content, which may be secret.
    throw new DamagedData(path, 'is damaged.');
  }
  if (!(await readProof(path))) await writeProof(path, { states: [stateOf(content)], isWhole: true });
  return value;
}

/** The same for a file of JSON. */
export const readJson = <Value>(path: string, parse: (json: unknown) => Value): Promise<Value | undefined> =>
  readWhole(path, (content) => parse(JSON.parse(content.toString('utf8'))));

/** The same for a key. */
export const readKey = (path: string, bytes: number): Promise<Buffer | undefined> =>
  readWhole(path, (content) => {
    if (content.length !== bytes) throw new Error('wrong length');
    return content;
  });

/**
 * Replaces a small file in one step. Its proof allows the old and the new content until that is done, so that a kill at
 * any point leaves a file that is proven.
 */
export async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  const old = await readFile(path).catch(undefinedWhenMissing);
  const state = stateOf(Buffer.from(content));
  await writeProof(path, { states: [old ? stateOf(old) : null, state], isWhole: true });
  await replaceFile(path, content);
  await writeProof(path, { states: [state], isWhole: true });
}
