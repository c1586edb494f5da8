import { posix } from 'node:path';
import type * as z from 'zod';
import { downloadName } from '../../delivery/urls/download-name.ts';
import { contentTypeOf } from '../../shared/media/content-types.ts';
import { isSegmented } from '../../shared/media/output-formats.ts';
import { thumbnailsPrefix } from '../../shared/object-keys.ts';
import { imageFile } from '../../shared/protocol/jobs.ts';
import type { videoRoutes } from '../contracts/routes/video-routes.ts';
import type { UrlSigner } from '../delivery/url-signer.ts';
import type { Caption, Output, Video } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { outputName } from './output-name.ts';

/** URLs of the outputs that play, the poster, the storyboard, the preview, the images and the captions. */
export function serializeSources(
  whole: Pick<WholeVideo, 'video' | 'outputs' | 'streams'>,
  captions: readonly Caption[],
  { sign, expiresAt }: UrlSigner,
): z.input<typeof videoRoutes.sources.response> {
  const { video, streams } = whole;
  return {
    sources: shownOutputs(whole).flatMap((output) => {
      const { format, entryKey } = output;
      const status = playingStatus(output);
      if (status === undefined || entryKey === null) return [];
      const query = isSegmented(format) ? '' : `?name=${downloadName(video.name, posix.extname(entryKey))}`;
      return [
        {
          format,
          name: outputName(output, streams),
          url: `${sign(entryKey)}${query}`,
          status,
          media_type: contentTypeOf(entryKey),
          expires_at: expiresAt,
        },
      ];
    }),
    poster_url: video.thumbnailPath === null ? null : sign(video.thumbnailPath),
    storyboard_url: video.storyboardPath === null ? null : sign(video.storyboardPath),
    preview_url: video.previewPath === null ? null : sign(video.previewPath),
    thumbnails: imagesOf(video).map(({ key, atSeconds }) => ({ at_seconds: atSeconds, url: sign(key) })),
    captions: captions.flatMap(({ language, kind, label, key }) =>
      key === null ? [] : [{ language, kind, label, url: sign(key) }],
    ),
  };
}

function imagesOf({ ulid, thumbnailImages, ...video }: Video): { key: string; atSeconds: number }[] {
  if (thumbnailImages === null) return [];
  const { count, firstSeconds, stepSeconds, format } = thumbnailImages;
  const { sourceNumber = 0 } = video.replaced ?? video;
  return Array.from({ length: count }, (_, index) => ({
    key: `${thumbnailsPrefix(ulid, sourceNumber)}${imageFile(index, format)}`,
    atSeconds: Math.round((firstSeconds + index * stepSeconds) * 1000) / 1000,
  }));
}

/** While a source that plays is being replaced, its outputs play until all those of the new one are complete. */
function shownOutputs({ video, outputs }: Pick<WholeVideo, 'video' | 'outputs'>): Output[] {
  const earlier = outputs.filter(({ planNumber }) => planNumber < video.planNumber);
  return video.replaced && earlier.some(({ status }) => status === 'completed') ? earlier : outputs;
}

/** Undefined for an output that does not play. */
function playingStatus({ status, playableAt }: Output): 'running' | 'completed' | undefined {
  if (status === 'completed') return status;
  return status === 'running' && playableAt !== undefined ? status : undefined;
}
