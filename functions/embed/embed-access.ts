import { nowSeconds } from '../../shared/clock.ts';
import { parseUlid } from '../common/ids.ts';
import { readSigningKeys } from '../delivery/signing-keys.ts';
import { findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';
import { checkEmbedToken } from './embed-token.ts';

export type EmbeddedVideo = {
  whole: WholeVideo;
  /** how long the token is valid; undefined for a public video without a token */
  lifetimeSeconds: number | undefined;
  allowedDomains: string[];
};

/** Why a video cannot be embedded. `absent` also stands for a private video that is requested without a token. */
export type EmbedRefusal = 'absent' | 'invalid' | 'expired';

/**
 * The video that a token gives access to. A public video needs no token; the allowed domains of a valid one apply
 * nevertheless. Without a valid token, a private video and one that does not exist have the same result.
 */
export async function findEmbedded(ulidText: string, token: string | undefined): Promise<EmbeddedVideo | EmbedRefusal> {
  const ulid = parseUlid(ulidText);
  if (ulid === undefined) return 'absent';
  const checked = token === undefined ? undefined : await checkToken(token, ulid);
  const claims = typeof checked === 'object' ? checked : undefined;
  const whole = await findWholeVideo(ulid);
  if (whole?.video.playback === 'public' || (whole && claims)) {
    return {
      whole,
      lifetimeSeconds: claims && Math.max(1, claims.expiresSeconds - nowSeconds()),
      allowedDomains: claims?.allowedDomains ?? [],
    };
  }
  return typeof checked === 'string' ? checked : 'absent';
}

const checkToken = async (token: string, ulid: string) =>
  checkEmbedToken(token, ulid, await readSigningKeys(), nowSeconds());
