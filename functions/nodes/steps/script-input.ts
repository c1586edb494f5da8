import { scriptTexts } from './script-texts.ts';

/**
 * What the root shell of a server reads: constant text, and behind it the values as data, one line each of name and base64, with a last line of its
 * own. The shell runs the compound command of the last line of the text only once it has read all of it, and leaves the shell with it: a text that was
 * cut off does nothing, and no value is ever read as a command.
 */
export function scriptInput(name: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  return [scriptTexts['common.sh'], scriptTexts[`${name}.sh`], '{ main; exit; }', ...lines, '.', ''].join('\n');
}
