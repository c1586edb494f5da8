import type { Fetch } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { type Client, createClient } from '../create-client.ts';
import { type LoadedSettings, loadSettings } from './arguments/load-settings.ts';
import type { ParsedCommand } from './arguments/parse-command-line.ts';
import type { Environment } from './arguments/settings.ts';
import { networkCode } from './explain-error.ts';
import type { TerminalStream } from './output/progress-painter.ts';
import { createReporter, type Reporter } from './output/reporter.ts';
import { type Words, wordsOf } from './output/words.ts';
import { createPatientFetch } from './service/patient-fetch.ts';

/** What the process gives to a command. */
export type Surroundings = {
  environment: Environment;
  stdout: TerminalStream;
  stderr: TerminalStream;
  fetch: Fetch;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The answer to a question of a person at the terminal; undefined without a terminal. */
  ask: ((question: string) => Promise<string>) | undefined;
};

/** What a command works with. */
export type CliRun = Pick<Surroundings, 'environment' | 'signal' | 'ask'> &
  Pick<ParsedCommand, 'operands' | 'options'> & {
    settings: LoadedSettings;
    client: Client;
    reporter: Reporter;
    /** For lines to read. */
    words: Words;
  };

export async function openCliRun(
  { operands, options }: Pick<ParsedCommand, 'operands' | 'options'>,
  { environment, stdout, stderr, fetch, signal, ask }: Surroundings,
): Promise<CliRun> {
  const reporter = createReporter({ stdout, stderr }, { json: options.json === true, quiet: options.quiet === true });
  const settings = await loadSettings(options, environment);
  for (const warning of settings.warnings) reporter.warn(`Warning: ${warning}`);
  const { url, token } = settings;
  const patient = createPatientFetch(fetch, {
    url,
    onWait: (error) => reporter.note(`${url} ${outageOf(error)}; waiting.`),
  });
  const client = createClient({ url, token, fetch: patient });
  return { operands, options, environment, signal, ask, settings, client, reporter, words: wordsOf(environment) };
}

const outageOf = (error: unknown): string =>
  error instanceof ApiError ? `answers ${error.status}` : `does not answer (${networkCode(error) ?? 'no reason'})`;
