import { bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { sleep } from '../../sleep.ts';
import { reasonText } from '../../texts/describe-codes.ts';
import { textOption } from '../arguments/read-options.ts';
import { videoUlid } from '../arguments/video-ulid.ts';
import type { CliRun } from '../cli-run.ts';
import { CommandError, exitCode } from '../exit-code.ts';
import { printable } from '../output/text.ts';
import { kindOf, languageOf } from './captions-commands.ts';

type Captions = components['schemas']['Caption'];

/** Speech takes about as long as the video. */
const pollMs = 2000;

/** `captions generate ULID`. @returns the exit code, as all commands here */
export async function generateCaptionsCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, client, reporter, signal } = cliRun;
  const ulid = videoUlid(operands[0]!);
  const language = textOption(options, 'language');
  const body = { ...(language !== undefined && { language }), ...(options.replace === true && { replace: true }) };
  const params = { path: { ulid } };
  const { data } = await bodyOf(client.api.POST('/api/videos/{ulid}/captions/generate', { params, body, signal }));
  if (!options.wait) {
    reporter.result(data, [`${ulid}: captions from speech are being made`]);
    return exitCode.ok;
  }
  const made = await waitForCaptions(cliRun, ulid, data.ulid);
  reporter.result(made, [`${ulid}: ${made.kind} ${made.language} stored (${printable(made.label)})`]);
  return exitCode.ok;
}

async function waitForCaptions({ client, signal, words }: CliRun, ulid: string, captions: string): Promise<Captions> {
  for (;;) {
    await sleep(pollMs, signal);
    const { data } = await bodyOf(
      client.api.GET('/api/videos/{ulid}/captions', { params: { path: { ulid } }, signal }),
    );
    const found = data.find((one) => one.ulid === captions);
    // An upload of the language has another status, and captions of the spoken language that exist keep their ULID.
    if (!found) throw new CommandError(exitCode.failed, 'These captions are no longer being made: list the captions.');
    if (found.error !== null) throw new CommandError(exitCode.failed, reasonText(words.codes, found.error));
    if (found.status === 'completed') return found;
  }
}

/** `captions text ULID --language TAG` */
export async function transcriptCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const path = { ulid: videoUlid(operands[0]!), language: languageOf(options) };
  const params = { path, query: { kind: kindOf(options) } };
  const text = await bodyOf(
    client.api.GET('/api/videos/{ulid}/captions/{language}/text', { params, parseAs: 'text', signal }),
  );
  reporter.result({ ...path, text }, text.trimEnd().split('\n').map(printable));
  return exitCode.ok;
}
