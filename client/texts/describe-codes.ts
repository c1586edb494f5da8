import type { ApiError } from '../api-error.ts';
import type { components } from '../api-types.ts';
import type { CodeTexts, FailureCode } from './code-texts-en.ts';

type Decision = components['schemas']['Decision'];

/** @param reason of a video, output or stream: `CODE: sentence`, or a sentence alone */
export function splitReason(reason: string): { code?: FailureCode; sentence: string } {
  const [, code, sentence] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? [];
  return code === undefined || sentence === undefined ? { sentence: reason } : { code: code as FailureCode, sentence };
}

/** The text of the code of a reason; the service's sentence where this version does not know the code. */
export function failureText({ failures }: CodeTexts, reason: string): string {
  const { code, sentence } = splitReason(reason);
  return (code && failures[code]) ?? sentence;
}

/** A reason in one line. */
export function reasonText(texts: CodeTexts, reason: string): string {
  const { code, sentence } = splitReason(reason);
  const failure = code && texts.failures[code];
  return failure === undefined ? reason : texts.ofFailure(failure, code!, sentence);
}

/** The service's English sentence for a decision of another version, whose code or facts are others. */
export function decisionText({ decisions }: CodeTexts, { code, message, facts }: Decision): string {
  try {
    return decisions[code](facts);
  } catch {
    return message;
  }
}

type Errors = Readonly<Record<string, readonly string[]>>;

/** The texts of field errors, by field. Where a code says nothing more, the text has the service's sentence. */
export function fieldErrorTexts(
  texts: CodeTexts,
  { errors, codes }: Pick<ApiError, 'errors' | 'codes'>,
  language: string,
): Errors {
  const textOf = (message: string, error: ApiError['codes'][string][number] | undefined): string => {
    if (error === undefined || error.code === 'invalid') return texts.ofService(message);
    return texts.fields[error.code]?.(error.limit?.toLocaleString(language) ?? '') ?? texts.ofService(message);
  };
  return Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [
      field,
      messages.map((message, index) => textOf(message, codes[field]?.[index])),
    ]),
  );
}

type PresetText = { name: string; description: string };

/** A preset with the name and description of the language; with those of the service where this version has none. */
export const presetWithTexts = <Preset extends PresetText & { slug: string }>(
  { presets }: CodeTexts,
  preset: Preset,
): Preset => ({ ...preset, ...(presets as Partial<Record<string, PresetText>>)[preset.slug] });
