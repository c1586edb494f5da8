import type { ApiError } from '../api-error.ts';
import type { components } from '../api-types.ts';
import { noReason } from '../failure-reasons.ts';
import type { CodeTexts, FailureCode } from './code-texts-en.ts';

type Decision = components['schemas']['Decision'];

/** @param reason of a video, output or stream: `CODE: sentence`, or a sentence alone */
export function splitReason(reason: string): { code?: FailureCode; sentence: string } {
  const [, code, sentence] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? [];
  return code === undefined || sentence === undefined ? { sentence: reason } : { code: code as FailureCode, sentence };
}

/** The text of the code of a reason; the service's sentence where this version does not know the code. */
export function failureText({ failures, noReason: none }: CodeTexts, reason: string): string {
  if (reason === noReason) return none;
  const { code, sentence } = splitReason(reason);
  return (code && failures[code]) ?? sentence;
}

/** A reason in one line. */
export function reasonText(texts: CodeTexts, reason: string): string {
  const { code, sentence } = splitReason(reason);
  const failure = code && texts.failures[code];
  if (failure !== undefined) return texts.ofFailure(failure, code!, sentence);
  return reason === noReason ? texts.noReason : reason;
}

/** The service's English sentence for a decision of another version, whose code or facts are others. */
export function decisionText({ decisions }: CodeTexts, { code, message, facts }: Decision): string {
  try {
    return decisions[code](facts);
  } catch {
    return message;
  }
}

/** Why the service refuses a request that is well-formed: a sentence in the language, or that of the service. */
export const refusalText = ({ errors, ofService }: CodeTexts, { code, message }: ApiError): string =>
  (code && errors[code]) ?? ofService(message);

type FieldErrors = Pick<ApiError, 'errors' | 'codes'>;
type FieldError = ApiError['codes'][string][number];

/** Where a code says nothing more, the text has the service's sentence. */
function fieldErrorText(texts: CodeTexts, message: string, error: FieldError | undefined, language: string): string {
  if (error === undefined || error.code === 'invalid') return texts.ofService(message);
  return texts.fields[error.code]?.(error.limit?.toLocaleString(language) ?? '') ?? texts.ofService(message);
}

/** The texts of field errors, by field. */
export const fieldErrorTexts = (
  texts: CodeTexts,
  { errors, codes }: FieldErrors,
  language: string,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [
      field,
      messages.map((message, index) => fieldErrorText(texts, message, codes[field]?.[index], language)),
    ]),
  );

/** The texts with the names of their fields, for a message that is not beside a field. The service's have them. */
export const fieldErrorLines = (texts: CodeTexts, { errors, codes }: FieldErrors, language: string): string[] =>
  Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message, index) => {
      const error = codes[field]?.[index];
      const line = fieldErrorText(texts, message, error, language);
      return line === texts.ofService(message) ? line : `${field}: ${line}`;
    }),
  );

type PresetText = { name: string; description: string };

/** A preset with the name and description of the language; with those of the service where this version has none. */
export const presetWithTexts = <Preset extends PresetText & { slug: string }>(
  { presets }: CodeTexts,
  preset: Preset,
): Preset => ({ ...preset, ...(presets as Partial<Record<string, PresetText>>)[preset.slug] });
