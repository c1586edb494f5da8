import { readFile } from 'node:fs/promises';
import { usageError } from '../exit-code.ts';

/** The content of a file that is an operand. */
export async function readOperand(path: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(path);
  } catch (error) {
    throw usageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
