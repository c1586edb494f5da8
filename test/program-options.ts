import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>['values'];

/**
 * Reads the options of a program that npm runs. With --help it prints the usage and ends the program. When options are
 * wrong, also when `check` throws, it prints the reason and the usage, and ends the program with status 2.
 * @param check turns the texts of the options into values
 */
export function readProgramOptions<const Options extends ParseArgsOptionsConfig, Checked>(
  usage: string,
  options: Options,
  check: (values: Values<Options>) => Checked,
  args: string[] = process.argv.slice(2),
): Checked {
  try {
    const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (!('help' in values && values.help)) return check(values as Values<Options>);
  } catch (error) {
    // The rest of a message of Node is advice about positional arguments.
    process.stderr.write(`${(error as Error).message.split('. ')[0]}\n\n${usage}`);
    return process.exit(2);
  }
  process.stdout.write(usage);
  return process.exit(0);
}

/** @throws when the text is not a whole number of at least `least` */
export function wholeNumber(option: string, text: string, least = 1): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${option} is a whole number from ${least}, not ${text}`);
}
