/** A caption file that cannot be used. The message tells its author in one sentence what to do. */
export class CaptionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CaptionError';
  }
}
