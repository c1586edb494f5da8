import { parseArgs } from 'node:util';
import { usageError } from '../exit-code.ts';
import { type CommandName, commandTable } from './command-table.ts';
import { type Command, commonOptions, type Option } from './option.ts';

export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type ParsedCommand = { command: CommandName; operands: string[]; options: OptionValues };

export type Parsed =
  | { kind: 'help'; command: CommandName | undefined }
  | { kind: 'version' }
  | ({ kind: 'command' } & ParsedCommand);

/** @throws CommandError with the exit code for wrong usage */
export function parseCommandLine(argv: readonly string[]): Parsed {
  const [first, second] = argv;
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    return { kind: 'help', command: undefined };
  }
  if (first === '--version') return { kind: 'version' };
  const command = isCommand(`${first} ${second}`) ? `${first} ${second}` : first;
  if (!isCommand(command)) {
    throw usageError(`There is no command '${first}'. The commands are listed by: open-video-service --help`);
  }
  const spec: Command = commandTable[command];
  const { operands, options } = readOptions(command, argv.slice(command.split(' ').length), spec);
  if (options.help) return { kind: 'help', command };
  checkOperands(command, operands, spec);
  return { kind: 'command', command, operands, options };
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commandTable, name);

function readOptions(command: CommandName, argv: string[], { options }: Command) {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: optionsOf({ ...options, ...commonOptions }),
      allowPositionals: true,
    });
    return { options: values as OptionValues, operands: positionals };
  } catch (error) {
    const [message] = (error as Error).message.split('. ');
    throw usageError(`${message}. ${seeHelp(command)}`);
  }
}

const optionsOf = (options: Readonly<Record<string, Option>>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  );

function checkOperands(command: CommandName, operands: readonly string[], spec: Command): void {
  if (operands.length < spec.minOperands) {
    throw usageError(`${spec.operands} is missing. ${seeHelp(command)}`);
  }
  if (operands.length > spec.maxOperands) {
    throw usageError(`'${operands[spec.maxOperands]}' is one argument too many. ${seeHelp(command)}`);
  }
}

export const seeHelp = (command: CommandName): string => `See: open-video-service ${command} --help`;
