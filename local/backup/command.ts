import { DamagedData } from 'embedded-aws';
import { CannotStart } from '../server/cannot-start.ts';
import { SnapshotEnded } from '../snapshot/cut-stream.ts';
import { type Command, type FolderOptions, readFolderOptions } from './folder-options.ts';

/**
 * Runs a command for the data folder. Errors that the user can correct are printed without their stack.
 */
export async function runCommand(
  name: Command,
  help: string,
  work: (options: FolderOptions) => Promise<void>,
): Promise<void> {
  // All files have secrets or private videos in them.
  process.umask(0o077);
  try {
    const options = readFolderOptions(name, process.argv.slice(2), process.env);
    if (options.help) process.stdout.write(help);
    else await work(options);
  } catch (error) {
    const isExpected = error instanceof CannotStart || error instanceof SnapshotEnded || error instanceof DamagedData;
    console.error(isExpected ? error.message : error);
    process.exitCode = 1;
  }
}
