/** The service goes on without its log while the disk is full, and after the reader of its output has ended. */
export function ignoreOutputErrors(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
}
