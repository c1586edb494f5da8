import { runCommand } from './command.ts';
import { restoreBackup } from './restore-backup.ts';

const help = `Makes the data folder from a backup, after it has checked every file of the backup. Then start the service.

  npm run restore -- FOLDER  FOLDER is a backup that npm run backup made
  npm run restore -- --help  this text

Settings, by environment:
  DATA_DIR        the data folder (.data); it must be empty or must not exist
`;

await runCommand('restore', help, async ({ folder, dataFolder }) => {
  const { files, sizeBytes, createdAt } = await restoreBackup(folder, dataFolder);
  console.log(`${dataFolder} has the backup of ${createdAt}: ${files} files, ${sizeBytes} bytes. Now run npm start.`);
});
