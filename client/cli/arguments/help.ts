import { type CommandName, commandTable } from './command-table.ts';
import { type Command, commonOptions, type Option } from './option.ts';

/** The help of a command, or of the program. */
export const helpOf = (command: CommandName | undefined): string =>
  command === undefined ? programHelp() : commandHelp(command, commandTable[command]);

function programHelp(): string {
  const commands = Object.entries(commandTable).map(([name, { operands, summary }]): [string, string] => [
    `${name} ${operands}`,
    summary,
  ]);
  return [
    'The command line of Open Video Service.',
    '',
    'Usage: open-video-service COMMAND [options]',
    '',
    ...columns(commands),
    '',
    'open-video-service COMMAND --help lists the options of a command.',
    'Settings come from options, else from environment variables, else from the configuration file.',
    'Exit codes: 0 ok, 1 an upload, ingest or video failed, 2 wrong usage, 3 service not reachable or token refused,',
    '130 interrupted.',
    '',
  ].join('\n');
}

function commandHelp(name: CommandName, { operands, summary, options }: Command): string {
  const usage = ['open-video-service', name, operands, '[options]'].filter(Boolean).join(' ');
  return [
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    '',
    `Usage: ${usage}`,
    '',
    ...columns([...Object.entries(options), ...Object.entries(commonOptions)].map(optionRow)),
    '',
  ].join('\n');
}

function optionRow([name, { short, value, about }]: [string, Option]): [string, string] {
  const names = short === undefined ? `    --${name}` : `-${short}, --${name}`;
  return [value === undefined ? names : `${names} ${value}`, about];
}

function columns(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.trimEnd().length));
  return rows.map(([left, right]) => `  ${left.trimEnd().padEnd(width)}  ${right}`);
}
