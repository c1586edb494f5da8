/**
 * Stored data is not what was written. The message is a sentence about one file, and has nothing of its content.
 * Nothing was changed.
 */
export class DamagedData extends Error {
  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = 'DamagedData';
  }
}
