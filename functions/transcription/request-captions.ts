import { timestamp } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { startTranscriptions } from '../aws/background-functions.ts';
import { retryCaptionChange } from '../captions/retry-caption-change.ts';
import { Conflict, NotFound, ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { covers } from '../planning/audio/audio-plan.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { estimatedSpeechSeconds } from '../planning/speech/speech-parts.ts';
import { generatedLabel, whisperLanguage } from '../planning/speech/whisper-language.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { requireQuota } from '../table/quotas/reserve.ts';
import type { Caption, User, Video } from '../table/records.ts';
import { findCaptions, sameTrack, storePendingCaption } from '../table/videos/caption-table.ts';

/** What speech becomes: viewers who cannot hear read it. */
const kind = 'captions';

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
  const name = language === undefined ? null : whisperLanguage(language);
  if (name === undefined) throw new ValidationFailed({ language: ['Speech in this language cannot be recognised.'] });
  const plan = await readPlan(video.ulid, video.planNumber);
  const track = spokenTrack(plan, language);
  if (!track) throw new ValidationFailed({ language: ['The video has no sound.'] });
  const owner = await findUser(video.ownerUlid);
  if (!owner) throw new NotFound();
  await requireQuota(owner, [], { cpuMilliseconds: 1000 * estimatedSpeechSeconds(plan.durationSeconds) });
  const caption = await retryCaptionChange(async () => {
    const known = await findCaptions(video.ulid);
    const id = { language: language ?? 'und', kind } as const;
    const present = sameTrack(known, id);
    if (present?.status === 'pending') return present;
    if (present?.status === 'completed' && language !== undefined && !replaces) {
      throw new Conflict('captions_exist', 'The video has captions of this language. With replace, they are replaced.');
    }
    const pending: Caption = {
      ...(present ?? { ...newCaption(), ...id, label: generatedLabel(id.language) }),
      status: 'pending',
      error: null,
      speech: {
        request: newUlid(),
        planNumber: video.planNumber,
        track,
        language: name,
        replaces,
        durationSeconds: plan.durationSeconds,
      },
    };
    await storePendingCaption(video, known, pending, by);
    return pending;
  });
  await startTranscriptions(video.ulid);
  return caption;
}

const newCaption = () => ({
  ulid: newUlid(),
  version: newUlid(),
  createdAt: timestamp(),
  isDefault: false,
  origin: 'generated' as const,
  cueCount: 0,
  key: null,
});

/** The name of the track in which a language is spoken; the first one where none is named so. */
function spokenTrack({ audio }: Plan, language: string | undefined): string | undefined {
  const named = language === undefined ? undefined : audio.find((one) => covers(language, one.language));
  return (named ?? audio[0])?.name;
}
