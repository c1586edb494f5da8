import { posix } from 'node:path';
import { parseCaptions } from '../../../shared/captions/parse-captions.ts';
import { contentTypeOf } from '../../../shared/media/content-types.ts';
import { captionSegmentsPrefix } from '../../../shared/object-keys.ts';
import { objectBytes, readObject, writeObject } from '../../aws/object-store.ts';
import { mapBounded } from '../../common/concurrency.ts';
import type { SubtitleLayout } from './subtitle-layout.ts';
import { subtitleFiles, subtitlePlaylistFile } from './subtitle-segments.ts';

const parallelWrites = 32;

/** The key of the HLS playlist of a text track. */
export const subtitlePlaylistKey = (captionKey: string, { id }: SubtitleLayout): string =>
  posix.join(captionSegmentsPrefix(captionKey, id), subtitlePlaylistFile);

/** Writes the WebVTT segments of a text track and their playlist, unless an earlier call has. */
export async function storeSubtitles(captionKey: string, layout: SubtitleLayout): Promise<void> {
  // The playlist is written last: when it is there, everything is.
  if ((await objectBytes(subtitlePlaylistKey(captionKey, layout))) !== undefined) return;
  const files = subtitleFiles(parseCaptions(await readObject(captionKey), 'vtt'), layout);
  const folder = captionSegmentsPrefix(captionKey, layout.id);
  const write = ({ file, body }: { file: string; body: string }) =>
    writeObject(`${folder}${file}`, body, contentTypeOf(file));
  await mapBounded(files.slice(0, -1), write, parallelWrites);
  await Promise.all(files.slice(-1).map(write));
}
