import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CannotStart } from '../server/cannot-start.ts';

export type Command = 'backup' | 'restore' | 'check:data';

/** `folder` is empty for a command without one. */
export type FolderOptions = { help: boolean; folder: string; dataFolder: string };

/**
 * The options of a command for the data folder. All but `check:data` have one folder as their argument.
 * @throws CannotStart when they are wrong
 */
export function readFolderOptions(command: Command, args: string[], environment: NodeJS.ProcessEnv): FolderOptions {
  const { values, positionals } = parse(command, args);
  const seeHelp = `see npm run ${command} -- --help.`;
  const [given = '', ...more] = positionals;
  const dataFolder = resolve(environment.DATA_DIR || '.data');
  if (command === 'check:data') {
    if (given !== '') throw new CannotStart(`DATA_DIR names the data folder, no argument: ${seeHelp}`);
    return { help: values.help, folder: '', dataFolder };
  }
  if (!values.help && given === '') throw new CannotStart(`The folder of the backup is missing: ${seeHelp}`);
  if (more.length > 0) throw new CannotStart(`Only one folder can be given: ${seeHelp}`);
  // npm runs a script in the folder of the project, and says where it was called.
  const folder = resolve(environment.INIT_CWD ?? '.', given);
  if (!values.help && overlap(folder, dataFolder)) {
    throw new CannotStart(`The backup cannot be in the data folder ${dataFolder}, nor around it: use another folder.`);
  }
  return { help: values.help, folder, dataFolder };
}

function parse(command: string, args: string[]) {
  try {
    const options = { help: { type: 'boolean', short: 'h', default: false } } as const;
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new CannotStart(`${(error as Error).message.split('. ')[0]}: see npm run ${command} -- --help.`);
  }
}

const overlap = (one: string, other: string): boolean => isWithin(one, other) || isWithin(other, one);

function isWithin(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return path === '' || !(path === '..' || path.startsWith(join('..', '/')));
}
