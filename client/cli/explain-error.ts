import { ApiError } from '../api-error.ts';
import { fieldErrorLines, reasonText, refusalText } from '../texts/describe-codes.ts';
import { CommandError, exitCode, Interrupted } from './exit-code.ts';
import type { Words } from './output/words.ts';

export type Explained = { exitCode: number; message: string };

/**
 * What an error means for the user of the command, and what to do. Without `words`, what the service says is in its own
 * words.
 */
export function explainError(error: unknown, url = 'the service', words?: Words): Explained {
  if (error instanceof CommandError) {
    const message = words ? reasonText(words.codes, error.message) : error.message;
    return { exitCode: error.exitCode, message };
  }
  if (error instanceof Interrupted) return { exitCode: error.exitCode, message: 'Interrupted.' };
  if (error instanceof ApiError) return explainApiError(error, url, words);
  const code = networkCode(error);
  if (code !== undefined) {
    const message = `${url} does not answer (${code}). Check the address (--url), and that the service runs.`;
    return { exitCode: exitCode.unavailable, message };
  }
  if (error instanceof SyntaxError) {
    return otherServer(url);
  }
  return { exitCode: exitCode.failed, message: error instanceof Error ? error.message : String(error) };
}

const otherServer = (url: string): Explained => ({
  exitCode: exitCode.unavailable,
  message: `${url} answers, but not as a video service. Check the address (--url).`,
});

/** What other servers answer to a path that they do not have. */
const ofOtherServers = [400, 401, 403, 404, 405];

function explainApiError(error: ApiError, url: string, words: Words | undefined): Explained {
  const { status, errors, requestId, isOfService } = error;
  const message = words ? refusalText(words.codes, error) : error.message;
  if (!isOfService && ofOtherServers.includes(status)) return otherServer(url);
  if (status === 401) {
    const advice =
      'Create a token in the dashboard (Account), and pass it as OPEN_VIDEO_SERVICE_TOKEN or --token-file.';
    const refusal = error.code === 'token_expired' ? 'The token has expired' : `${url} does not accept the token`;
    return { exitCode: exitCode.unavailable, message: `${refusal}. ${advice}` };
  }
  if (status === 403) return { exitCode: exitCode.unavailable, message: `The token may not do this: ${message}` };
  if (status === 402) return { exitCode: exitCode.failed, message: `The quota does not allow this: ${message}` };
  if (status >= 500) {
    const text = `${url} answers ${status}: ${error.message || 'no message'}. It may have done what was asked: look before you repeat the command.${
      requestId === undefined ? '' : ` The log has it as request ${requestId}.`
    }`;
    return { exitCode: exitCode.unavailable, message: text };
  }
  const fields = words ? fieldErrorLines(words.codes, error, words.language) : Object.values(errors).flat();
  return { exitCode: exitCode.failed, message: fields.length > 0 ? fields.join(' ') : message };
}

/** The code of a failed connection. `fetch` reports it as the cause of a TypeError. */
export function networkCode(error: unknown): string | undefined {
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return undefined;
  const { code, message } = error.cause as Error & { code?: string };
  return code ?? message;
}

/** No other request can succeed either. */
export const endsCommand = (error: unknown): boolean => {
  const code = explainError(error).exitCode;
  return code === exitCode.unavailable || error instanceof Interrupted;
};
