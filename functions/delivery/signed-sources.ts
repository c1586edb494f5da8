import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type * as z from 'zod';
import { nowSeconds, timestamp } from '../../shared/clock.ts';
import { downloadName } from '../../shared/delivery/download-name.ts';
import signedUrl from '../../shared/delivery/signed-url.js';
import { contentTypeOf } from '../../shared/media/content-types.ts';
import type { videoRoutes } from '../contracts/routes/video-routes.ts';
import { outputName } from '../serializers/output-name.ts';
import type { ProxyNode } from '../table/nodes/node-table.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { readSigningKeys } from './signing-keys.ts';

type Answer = z.input<typeof videoRoutes.sources.answer>;
type Playable = Pick<WholeVideo, 'video' | 'outputs' | 'streams'> & { lifeSeconds: number };

/** URLs on a proxy for each completed output, the poster and the storyboard. All of them belong to one session of one viewer. */
export async function signedSources(
  proxy: ProxyNode,
  { video, outputs, streams, lifeSeconds }: Playable,
): Promise<Answer> {
  const { current, keys } = await readSigningKeys();
  const secret = keys[current];
  if (secret === undefined) throw new Error(`there is no signing key ${current}`);
  const claims = {
    keyId: current,
    secret,
    session: randomBytes(12).toString('base64url'),
    expiresSeconds: nowSeconds() + lifeSeconds,
  };
  const urlOf = (objectKey: string): string =>
    `${proxy.scheme}://${proxy.hostname}${signedUrl.signPath({ ...claims, objectKey })}`;
  return {
    sources: outputs.flatMap((output) => {
      const { status, format, entryKey } = output;
      if (status !== 'completed' || entryKey === null) return [];
      const query = format === 'mp4' ? `?name=${downloadName(video.name, posix.extname(entryKey))}` : '';
      const media_type = contentTypeOf(entryKey);
      const expires_at = timestamp(claims.expiresSeconds * 1000);
      return [
        {
          format,
          name: outputName(output, streams),
          url: `${urlOf(entryKey)}${query}`,
          status,
          media_type,
          expires_at,
        },
      ];
    }),
    poster_url: video.thumbnailPath === null ? null : urlOf(video.thumbnailPath),
    storyboard_url: video.storyboardPath === null ? null : urlOf(video.storyboardPath),
  };
}
