import { captionLimits } from '../../shared/captions/caption-limits.ts';
import type { CaptionKind, Cue } from '../../shared/captions/cue.ts';
import { CaptionError, parseCaptions } from '../../shared/captions/parse-captions.ts';
import { readObject } from '../aws/object-store.ts';
import { ApiError } from '../common/errors.ts';
import { log } from '../common/log.ts';
import { languageLabel } from '../contracts/fields/caption-language.ts';
import type { Video } from '../table/records.ts';
import { findCaptions, sameTrack } from '../table/videos/caption-table.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { addCaption, type NewCaption } from './add-caption.ts';
import { embeddedCaptionId, languageOfTrack } from './embedded-caption-id.ts';

export type EmbeddedTrack = {
  /** as the source has it; `und` when it is unknown or not a BCP 47 tag */
  language: string | null;
  kind: CaptionKind;
  /** null: the name of the language */
  label: string | null;
  isDefault: boolean;
  /** the WebVTT file that the worker has made; null where it could not */
  objectKey: string | null;
  cueCount: number;
  /** why the track has no file, one sentence */
  error?: string | null | undefined;
};

/**
 * Makes captions of the text tracks of a source. The files are copied, since those of a plan are deleted with it. Of
 * several tracks with one language and kind, the first becomes the caption. A track whose caption was made before is
 * skipped, so that the call can be repeated.
 */
export async function registerEmbeddedCaptions(videoUlid: string, tracks: readonly EmbeddedTrack[]): Promise<void> {
  const video = await findVideo(videoUlid);
  if (!video) return;
  const registered = new Set<string>();
  for (const track of tracks) {
    const id = embeddedCaptionId(track);
    if (registered.has(id)) continue;
    registered.add(id);
    if (registered.size > captionLimits.maxPerVideo) {
      log.warn('the source has more text tracks than a video can have captions', { video: videoUlid });
      return;
    }
    await registerTrack(video, languageOfTrack(track.language), track);
  }
}

async function registerTrack(video: Video, language: string, track: EmbeddedTrack): Promise<void> {
  const { kind, isDefault, objectKey } = track;
  const known = sameTrack(await findCaptions(video.ulid), { language, kind });
  const isRegistered = known !== undefined && known.extractedKey === (objectKey ?? undefined);
  if (known?.origin === 'upload' || isRegistered) return;
  const caption: NewCaption = {
    language,
    kind,
    isDefault,
    origin: 'embedded',
    label: cleanLabel(track.label) || languageLabel(language),
    ...(objectKey !== null && { extractedKey: objectKey }),
    ...(await content(track)),
  };
  try {
    await addCaption(video, caption, null);
  } catch (error) {
    // The video was deleted, or has too many captions: its other results are still of use.
    if (!(error instanceof ApiError)) throw error;
    log.warn('an embedded text track was not stored', { video: video.ulid, language, kind, error: error.message });
  }
}

async function content({ objectKey, error }: EmbeddedTrack): Promise<{ cues: Cue[] } | { error: string }> {
  if (objectKey === null) return { error: error || 'The text track could not be read.' };
  try {
    return { cues: parseCaptions(await readObject(objectKey), 'vtt') };
  } catch (reason) {
    if (reason instanceof CaptionError) return { error: reason.message };
    throw reason;
  }
}

const maxLabelLength = 100;

/** The title of a track can have any text. */
const cleanLabel = (label: string | null): string =>
  [...(label ?? '').replace(/\p{Cc}/gu, ' ').trim()].slice(0, maxLabelLength).join('');
