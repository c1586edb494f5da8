/** The file of an upload cannot be read any more, because it was changed, moved or deleted. */
export class UnreadableFileError extends Error {
  constructor(cause: unknown) {
    super('The file cannot be read any more. It was changed, moved or deleted.', { cause });
    this.name = 'UnreadableFileError';
  }
}

/**
 * A request whose file cannot be read fails like one that the store does not answer, which is worth another attempt.
 * @throws UnreadableFileError
 */
export async function requireReadable(file: Blob): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (error) {
    throw new UnreadableFileError(error);
  }
}
