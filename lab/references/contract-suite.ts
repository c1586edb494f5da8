import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { differenceOf } from './contract-differences.ts';

const root = join(import.meta.dirname, '../..');
const suite = 'embedded-aws/test/contract';
type Report = {
  testResults: { name: string; assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[];
};
/** A behaviour is a test of the suite; `subject` is its file. */
export type Behaviour = { subject: string; title: string; holds: boolean; failure: string };

/** Runs the suite of a service on a server. @returns its behaviours */
export async function runContract(name: string, endpoint: string, services: readonly string[], folder: string) {
  const file = join(folder, `${name}.json`);
  const folders = services.map((service) => `${suite}/${service}`);
  const args = ['vitest', 'run', '--project', 'contract', '--reporter', 'json', '--outputFile', file, ...folders];
  const env = { ...process.env, TARGET: name, TARGET_ENDPOINT: endpoint };
  const child = spawn('npx', args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'exit');
  const { testResults }: Report = JSON.parse(await readFile(file, 'utf8'));
  return testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(
      ({ fullName, status, failureMessages: [failure = ''] }): Behaviour => ({
        subject: path.split(`${suite}/`)[1]!.replace('.test.ts', ''),
        title: fullName,
        holds: status === 'passed',
        failure: failure.split('\n')[0]!,
      }),
    ),
  );
}

/**
 * Prints what the table of differences does not explain, and what it has although the target agrees.
 * @returns their number
 */
export function printUnknown(name: string, behaviours: Behaviour[]): number {
  const wrong = behaviours.flatMap(({ subject, title, holds, failure }) => {
    const known = differenceOf(name, title);
    if (holds === (known === undefined)) return [];
    // A pattern of several titles may have some with which the target agrees.
    if (holds && known?.title instanceof RegExp) return [];
    return [`${subject}: ${title}: ${holds ? 'no longer differs' : failure}`];
  });
  for (const one of wrong) console.log(`DIFFERENCE ${name}: ${one}`);
  return wrong.length;
}

/** Rows of the page: for each subject, with how many of its behaviours a target agrees. */
export function contractTable(results: Record<string, Behaviour[]>): string {
  const names = Object.keys(results);
  const all = names.flatMap((name) => results[name]!);
  const subjects = [...new Set(all.map(({ subject }) => subject))].toSorted();
  const cell = (name: string, subject: string): string => {
    const of = results[name]!.filter((one) => one.subject === subject);
    return of.length === 0 ? 'has no such service' : `${of.filter(({ holds }) => holds).length} of ${of.length}`;
  };
  return [
    `| behaviours | ${names.join(' | ')} |`,
    `|---${'|---'.repeat(names.length)}|`,
    ...subjects.map((subject) => `| ${subject} | ${names.map((name) => cell(name, subject)).join(' | ')} |`),
  ].join('\n');
}
