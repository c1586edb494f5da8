import { getPriority, setPriority } from 'node:os';
import { findDamagedObjects, hasObjects } from 'embedded-aws';
import { CannotStart } from '../server/cannot-start.ts';
import { runCommand } from './command.ts';

const help = `Compares every stored file of the data folder with its checksum, while the service runs or when it does not.

  npm run check:data             prints a line for each object that is damaged, and exits with 1 if there is one
  npm run check:data -- --help   this text

Settings, by environment:
  DATA_DIR        the data folder (.data)
`;

await runCommand('check:data', help, async ({ dataFolder }) => {
  if (!hasObjects(dataFolder)) {
    throw new CannotStart(`${dataFolder} is no data folder: set DATA_DIR to the folder of the service.`);
  }
  // The service and its encoders go first.
  setPriority(Math.max(10, getPriority()));
  const { objects, damaged } = await findDamagedObjects(dataFolder);
  for (const { name, problem } of damaged) console.log(`DAMAGED ${name}: ${problem}`);
  if (damaged.length === 0) return console.log(`${dataFolder}: ${objects} objects, all as they were stored.`);
  console.log(
    `${damaged.length} of ${objects} objects are damaged. Files never change: copy them from a backup, from the same ` +
      'path, while the service is stopped.',
  );
  process.exitCode = 1;
});
