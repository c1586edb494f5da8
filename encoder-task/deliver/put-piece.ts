import { setTimeout as sleep } from 'node:timers/promises';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { SignedTarget } from '../../shared/protocol/jobs.ts';
import type { CopyContext } from './copy-context.ts';
import type { Piece } from './pieces.ts';
import {
  checkResponse,
  mismatch,
  Refused,
  storageFailed,
  storageRefused,
  type TargetResponse,
} from './storage-errors.ts';

const maxAttempts = 5;

/** Returns where a piece goes; a new URL when the store has refused the last one. */
export type TargetOf = (isRefused: boolean) => Promise<SignedTarget>;

/** What the store has answered. `isCompared`: its checksum is that of what was sent. */
export type StoredPiece = { etag: string | null; isCompared: boolean };

/**
 * Sends a piece until the store has it. The store compares it with its MD5, which the request names, and the checksum
 * in the response is compared too.
 * @throws JobError
 */
export async function putPiece(context: CopyContext, targetOf: TargetOf, piece: Piece): Promise<StoredPiece> {
  for (let sends = 1; ; sends++) {
    const { etag, encryption } = await send(context, targetOf, piece);
    const known = md5Of(etag, encryption);
    if (known === undefined) return { etag, isCompared: false };
    if (known === piece.md5Hex) return { etag, isCompared: true };
    if (sends === 2) throw mismatch();
  }
}

/** Undefined when an ETag is not an MD5, as those of objects under keys of KMS or of the customer. */
function md5Of(etag: string | null, encryption: string | null): string | undefined {
  if (encryption !== null && encryption !== 'AES256') return undefined;
  return /^"?([0-9a-f]{32})"?$/i.exec(etag ?? '')?.[1]?.toLowerCase();
}

async function send(
  { client, pace, signal, firstDelayMs }: CopyContext,
  targetOf: TargetOf,
  piece: Piece,
): Promise<TargetResponse> {
  let target = await targetOf(false);
  let isRefused = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const sentTo = target;
      const response = await pace.wait(() => client.put(sentTo, piece, signal));
      checkResponse(response);
      pace.received(piece.bytes);
      return response;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JobError) throw error;
      if (error instanceof Refused) {
        if (isRefused) throw storageRefused(error);
        isRefused = true;
        target = await targetOf(true);
        continue;
      }
      if (attempt >= maxAttempts) throw storageFailed(error);
      const delayMs = firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random());
      await pace.wait(() => sleep(delayMs, undefined, { signal }));
    }
  }
}
