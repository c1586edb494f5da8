import { readEnvironment } from '../../shared/environment.ts';
import { startTranscriptions } from '../aws/background-functions.ts';
import { retryCaptionChange } from '../captions/retry-caption-change.ts';
import { QuotaExceeded } from '../common/errors.ts';
import { covers } from '../planning/audio/audio-plan.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { findUser } from '../table/accounts/user-table.ts';
import type { Caption, Video } from '../table/records.ts';
import { findCaptions } from '../table/videos/caption-table.ts';
import { storePendingCaptions } from '../table/videos/pending-captions.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { captionsSchema } from '../templates/query-structure.ts';
import { pendingCaption } from './pending-caption.ts';
import { hasText, type SpokenTrack, speechKind, spokenTracks } from './spoken-language.ts';

type Wish = { onlyMissing: boolean; languages?: string[] };

/**
 * Has workers make the captions from speech that the template of a completed video asks for, once for each of its
 * plans. It can be repeated.
 */
export async function requestCaptionsOfTemplate(videoUlid: string): Promise<void> {
  if (!readEnvironment('TRANSCRIPTION')) return;
  const isAsked = await retryCaptionChange(async () => {
    const video = await findVideo(videoUlid);
    const wish = video && wishOf(video);
    if (!wish || video.status !== 'completed' || video.speechPlanNumber === video.planNumber) return false;
    return askFor(wish, video, await readPlan(videoUlid, video.planNumber));
  });
  if (isAsked) await startTranscriptions(videoUlid);
}

function wishOf({ query }: Video): Wish | undefined {
  const { generate, generate_languages: languages } = captionsSchema.parse(query?.captions ?? {});
  return generate === 'off' ? undefined : { onlyMissing: generate === 'missing', ...(languages && { languages }) };
}

async function askFor(wish: Wish, video: Video, plan: Plan): Promise<boolean> {
  const known = await findCaptions(video.ulid);
  const owner = await findUser(video.ownerUlid);
  const tracks = spokenTracks(plan).filter((track) => isWanted(track, wish, known.captions, plan));
  if (!owner || tracks.length === 0) return false;
  const pending = tracks.map(({ name, language }) =>
    pendingCaption(video, plan, known, { track: name, language, replaces: !wish.onlyMissing, template: wish }),
  );
  try {
    await storePendingCaptions(owner, video, known, pending, 'template');
  } catch (error) {
    if (!(error instanceof QuotaExceeded)) throw error;
    await storePendingCaptions(owner, video, known, pending.map(refused(error.message)), 'template');
  }
  return true;
}

/** Captions that fail with a reason, as those of which workers find one. Nothing is held for them. */
const refused =
  (refusal: string) =>
  ({ caption }: { caption: Caption }) => ({
    caption: { ...caption, speech: caption.speech && { ...caption.speech, refusal } },
    cpuMilliseconds: 0,
  });

function isWanted(
  { language }: SpokenTrack,
  { onlyMissing, languages }: Wish,
  captions: readonly Caption[],
  plan: Plan,
): boolean {
  if (language === 'und') return !captions.some((one) => isPending(one) && one.language === 'und');
  if (languages && !languages.some((tag) => covers(tag, language))) return false;
  const present = captions.filter(({ status }) => status !== 'failed');
  if (!onlyMissing) {
    const own = present.filter((one) => one.kind === speechKind && one.language === language);
    return !own.some((one) => one.origin === 'upload' || isPending(one));
  }
  // Text tracks of the source may become captions later. Those that cannot be read have failed by then.
  const failed = captions.filter(({ status }) => status === 'failed');
  const planned = plan.captions.filter(
    (one) => !failed.some(({ language: tag, kind }) => one.kind === kind && covers(tag, one.language)),
  );
  return !hasText(present, language) && !hasText(planned, language);
}

const isPending = ({ status }: Caption): boolean => status === 'pending';
