import { timestamp } from '../../shared/clock.ts';
import { newUlid } from '../common/ids.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { estimatedVideoSeconds } from '../planning/speech/speech-parts.ts';
import { generatedLabel, whisperLanguage } from '../planning/speech/whisper-language.ts';
import type { Caption, Video } from '../table/records.ts';
import { sameTrack, type VideoCaptions } from '../table/videos/caption-table.ts';
import type { PendingCaption } from '../table/videos/pending-captions.ts';
import { speechKind } from './spoken-language.ts';

type Speech = NonNullable<Caption['speech']>;

/** What is asked for; the language as a BCP 47 tag, `und` when it is to be detected. */
type Asked = Pick<Speech, 'track' | 'replaces' | 'template'> & { language: string };

/** Captions that are to be made of an audio track. A file of those that exist stays until then. */
export function pendingCaption(
  { planNumber }: Pick<Video, 'planNumber'>,
  { durationSeconds }: Pick<Plan, 'durationSeconds'>,
  known: VideoCaptions,
  { language, ...asked }: Asked,
): PendingCaption {
  const id = { language, kind: speechKind } as const;
  const caption = sameTrack(known, id) ?? {
    ...id,
    ulid: newUlid(),
    version: newUlid(),
    createdAt: timestamp(),
    label: generatedLabel(language),
    isDefault: false,
    origin: 'generated',
    cueCount: 0,
    key: null,
  };
  const spoken = language === 'und' ? null : (whisperLanguage(language) ?? null);
  const speech = { ...asked, request: newUlid(), planNumber, language: spoken, durationSeconds };
  return { caption: { ...caption, status: 'pending', error: null, speech }, ...held(durationSeconds) };
}

const held = (durationSeconds: number) => ({
  cpuMilliseconds: Math.ceil(1000 * estimatedVideoSeconds(durationSeconds)),
});

/** The same captions on another request, after the video was processed again. */
export function pendingAgain(
  pending: Caption & { speech: Speech },
  { planNumber }: Pick<Video, 'planNumber'>,
  durationSeconds: number,
): PendingCaption {
  const speech = { ...pending.speech, request: newUlid(), planNumber, durationSeconds };
  return { caption: { ...pending, speech }, ...held(durationSeconds) };
}
