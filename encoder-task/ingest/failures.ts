import { JobError } from '../../shared/protocol/job-errors.ts';

/** A request that may succeed when it is repeated: the connection broke, or the server is busy or silent. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The server cannot be reached, or does not send the file. A later attempt may succeed unless it is `fatal`. */
export const unreachable = (reason: string, { fatal = true } = {}): JobError =>
  new JobError('INPUT_UNREACHABLE', `The server of the URL did not send the file: ${reason}.`, { fatal });

/** Another attempt would take as long. */
export const tooSlow = (bytes: number, seconds: number): JobError =>
  unreachable(
    `it is too slow, with ${Math.floor(bytes / 1e6)} MB in ${Math.round(seconds / 60)} minutes. Ingest the file from a faster server, or upload it`,
  );

export const changed = (what: string): JobError =>
  new JobError('INPUT_CHANGED', `The file changed while it was fetched: ${what}. Ingest it again.`);

export const tooLarge = (bytes: number | undefined, maxBytes: number): JobError =>
  new JobError(
    'INPUT_TOO_LARGE',
    `The file has ${bytes === undefined ? 'more than' : `${bytes} bytes, and at most`} ${maxBytes} bytes${bytes === undefined ? ', the most that' : ''} may be ingested.`,
  );

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved',
  ECONNREFUSED: 'it refused the connection',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ETIMEDOUT: 'it did not answer in time',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
};

/** Why a request failed, without the URL. */
export function reasonOf(error: unknown): string {
  if (error instanceof Interrupted) return error.message;
  const { code = '' } = error as { code?: unknown };
  if (typeof code !== 'string') return 'the connection failed';
  if (code.startsWith('HPE_')) return 'its response is not valid HTTP';
  if (/CERT|SSL|TLS|SIGNED|ALTNAME/.test(code)) return 'its certificate or TLS is not valid';
  return reasons[code] ?? 'the connection failed';
}
