import { rmSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from 'embedded-aws';
import { CannotStart } from '../server/cannot-start.ts';
import { lastBackupFile } from '../server/data-folder.ts';
import { runCommand } from './command.ts';
import { writeBackup } from './write-backup.ts';

const help = `Writes a backup of the data folder, while the service runs or when it does not.

  npm run backup -- FOLDER   FOLDER must be empty or must not exist
  npm run backup -- --help   this text

Settings, by environment:
  DATA_DIR        the data folder (.data)

The backup is complete when FOLDER has the file manifest.json. It contains secrets: only its owner can read it.
`;

await runCommand('backup', help, async ({ folder, dataFolder }) => {
  await makeEmptyFolder(folder);
  // The service and its encoders go first.
  setPriority(Math.max(10, getPriority()));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      remove();
      process.exit(1);
    });
  }
  try {
    const { files, sizeBytes, pauseMs } = await writeBackup(dataFolder, folder);
    await replaceFile(join(dataFolder, lastBackupFile), `${folder}\n`);
    const pause = pauseMs > 0 ? ` The service paused for ${Math.ceil(pauseMs)} ms.` : '';
    console.log(`Backup of ${dataFolder} in ${folder}: ${files} files, ${sizeBytes} bytes.${pause}`);
  } catch (error) {
    remove();
    throw error;
  }
});

/** @throws CannotStart when there is something in it */
async function makeEmptyFolder(folder: string): Promise<void> {
  const problem = (what: string) => new CannotStart(`${folder} ${what}: give the name of an empty or a new folder.`);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(({ code }: NodeJS.ErrnoException) => {
    throw problem(code === 'EEXIST' || code === 'ENOTDIR' ? 'is not a folder' : `cannot be made (${code})`);
  });
  const names = await readdir(folder);
  if (names.length > 0) throw problem('is not empty');
}
