import { readEnvironment } from '../../shared/environment.ts';
import { startTranscriptions } from '../aws/background-functions.ts';
import { requireRoom } from '../captions/add-caption.ts';
import { retryCaptionChange } from '../captions/retry-caption-change.ts';
import { Conflict, NotFound, ValidationFailed } from '../common/errors.ts';
import { whisperLanguage } from '../planning/speech/whisper-language.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { findUser } from '../table/accounts/user-table.ts';
import type { Caption, User, Video } from '../table/records.ts';
import { findCaptions, sameTrack } from '../table/videos/caption-table.ts';
import { storePendingCaptions } from '../table/videos/pending-captions.ts';
import { pendingCaption } from './pending-caption.ts';
import { speechKind, spokenTrack } from './spoken-language.ts';

export type SpeechRequest = {
  /** BCP 47; undefined when it is to be detected */
  language: string | undefined;
  /** captions of the language that exist are replaced when the new ones are made */
  replaces: boolean;
};

/**
 * Has workers make captions of what is said in a video. A request for captions that are being made returns them.
 * @throws Conflict, ValidationFailed, QuotaExceeded of the owner
 */
export async function requestCaptions(
  video: Video,
  { language, replaces }: SpeechRequest,
  by: Pick<User, 'ulid'> | null,
): Promise<Caption> {
  if (!readEnvironment('TRANSCRIPTION')) {
    throw new Conflict(
      'transcription_unavailable',
      'This service has no model of speech. Its operator can install one.',
    );
  }
  if (video.status !== 'completed') throw new Conflict('video_not_completed', 'The video is not completed.');
  if (language !== undefined && whisperLanguage(language) === undefined) {
    throw new ValidationFailed({ language: ['Speech in this language cannot be recognised.'] });
  }
  const plan = await readPlan(video.ulid, video.planNumber);
  const track = spokenTrack(plan, language);
  if (!track) throw new ValidationFailed({ language: ['The video has no sound.'] });
  const owner = await findUser(video.ownerUlid);
  if (!owner) throw new NotFound();
  const caption = await retryCaptionChange(async () => {
    const known = await findCaptions(video.ulid);
    const tag = language ?? 'und';
    const present = sameTrack(known, { language: tag, kind: speechKind });
    if (present?.status === 'pending') return present;
    if (present?.status === 'completed' && language !== undefined && !replaces) {
      throw new Conflict('captions_exist', 'The video has captions of this language. With replace, they are replaced.');
    }
    if (!present) requireRoom(known);
    const pending = pendingCaption(video, plan, known, { track, language: tag, replaces });
    await storePendingCaptions(owner, video, known, [pending], by);
    return pending.caption;
  });
  await startTranscriptions(video.ulid);
  return caption;
}
