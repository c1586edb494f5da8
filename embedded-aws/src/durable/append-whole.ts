import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';

/** Appends all of a text to a file or, on a full disk, nothing of it: what follows must not continue a part of it. */
export function appendWhole(path: string, text: string): void {
  const file = openSync(path, 'a', 0o600);
  const { size } = fstatSync(file);
  try {
    appendFileSync(file, text);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  } finally {
    closeSync(file);
  }
}
