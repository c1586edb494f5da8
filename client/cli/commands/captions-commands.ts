import { bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { reasonText } from '../../texts/describe-codes.ts';
import { readOperand } from '../arguments/read-operand.ts';
import { textOption } from '../arguments/read-options.ts';
import { videoUlid } from '../arguments/video-ulid.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, usageError } from '../exit-code.ts';
import { printable, table } from '../output/text.ts';

type Kind = components['schemas']['CaptionKind'];

const kinds: readonly Kind[] = ['captions', 'subtitles', 'forced', 'chapters'];

/** `captions ULID`. @returns the exit code, as all commands here */
export async function listCaptionsCommand({ operands, client, reporter, signal, words }: CliRun): Promise<number> {
  const path = { ulid: videoUlid(operands[0]!) };
  const { data } = await bodyOf(client.api.GET('/api/videos/{ulid}/captions', { params: { path }, signal }));
  const rows = data.map(({ language, kind, origin, status, label, ...more }) => [
    language,
    kind,
    origin,
    words.codes.statuses[status],
    printable(
      more.error === null
        ? `${label}${more.default ? ' (default)' : ''}`
        : `${label}: ${reasonText(words.codes, more.error)}`,
    ),
  ]);
  const lines = rows.length === 0 ? [] : table([['LANGUAGE', 'KIND', 'ORIGIN', 'STATUS', 'LABEL'], ...rows]);
  reporter.result({ data }, lines);
  if (rows.length === 0) reporter.note('The video has no captions.');
  return exitCode.ok;
}

/** `captions add ULID FILE --language TAG` */
export async function addCaptionsCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const ulid = videoUlid(operands[0]!);
  const language = languageOf(options);
  const label = textOption(options, 'label');
  const query = {
    kind: kindOf(options),
    default: options.default === true,
    ...(label !== undefined && { label }),
  };
  const bytes = await readOperand(operands[1]!);
  const call = client.api.PUT('/api/videos/{ulid}/captions/{language}', {
    params: { path: { ulid, language }, query },
    // The client would write a string as JSON.
    body: bytes as unknown as string,
    bodySerializer: (body) => body,
    headers: { 'content-type': mediaTypeOf(operands[1]!, bytes) },
    signal,
  });
  const { data } = await bodyOf(call);
  reporter.result(data, [`${ulid}: ${data.kind} ${data.language} stored (${printable(data.label)})`]);
  return exitCode.ok;
}

/** `captions delete ULID --language TAG` */
export async function deleteCaptionsCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const ulid = videoUlid(operands[0]!);
  const language = languageOf(options);
  const kind = kindOf(options);
  const params = { path: { ulid, language }, query: { kind } };
  await client.api.DELETE('/api/videos/{ulid}/captions/{language}', { params, signal });
  reporter.result({ type: 'deleted', ulid, language, kind }, [`${ulid}: ${kind} ${language} deleted`]);
  return exitCode.ok;
}

export function languageOf(options: CliRun['options']): string {
  const language = textOption(options, 'language');
  if (language !== undefined) return language;
  throw usageError('--language is missing: the language of the captions, such as de or pt-BR.');
}

export function kindOf(options: CliRun['options']): Kind {
  const given = textOption(options, 'kind') ?? 'captions';
  const kind = kinds.find((known) => known === given);
  if (kind !== undefined) return kind;
  throw usageError(`--kind is one of ${kinds.join(', ')}, not '${given}'.`);
}

/** WebVTT in UTF-16 is sent as SubRip, as the API asks for. */
function mediaTypeOf(path: string, bytes: Buffer): 'text/vtt' | 'application/x-subrip' {
  const isUtf16 = ['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex'));
  return isUtf16 || !/\.vtt$/i.test(path) ? 'application/x-subrip' : 'text/vtt';
}
