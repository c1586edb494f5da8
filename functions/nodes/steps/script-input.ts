import { scriptTexts } from './script-texts.ts';

/**
 * The standard input of the root shell: the constant script, then the values as data (one line each with name and
 * base64) and a final line. The shell runs the compound command at the end of the script only when it has read it
 * completely, and that command exits the shell. So a truncated script does nothing, and values are never executed as
 * commands.
 */
export function scriptInput(name: string, values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  return [scriptTexts['common.sh'], scriptTexts[`${name}.sh`], '{ main; exit; }', ...lines, '.', ''].join('\n');
}
