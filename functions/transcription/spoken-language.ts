import { languageOfTrack } from '../captions/embedded-caption-id.ts';
import { covers, isAside } from '../planning/audio/audio-plan.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { whisperLanguage } from '../planning/speech/whisper-language.ts';
import type { Caption } from '../table/records.ts';

/** What speech becomes: viewers who cannot hear read it. */
export const speechKind = 'captions';

/** An audio track, and the BCP 47 tag of what is spoken in it; `und` when it is to be detected. */
export type SpokenTrack = { name: string; language: string };

/** The track in which a language is spoken; the first one where none is named so. */
export function spokenTrack({ audio }: Plan, language: string | undefined): string | undefined {
  const named = language === undefined ? undefined : audio.find((one) => covers(language, one.language));
  return (named ?? audio[0])?.name;
}

/** A track of each language, without those for some viewers only and those that models do not know. */
export function spokenTracks({ audio }: Plan): SpokenTrack[] {
  const tracks = audio
    .filter((one) => !isAside(one))
    .map(({ name, language }) => ({ name, language: languageOfTrack(language) }))
    .filter(({ language }) => language === 'und' || whisperLanguage(language) !== undefined);
  return [...Map.groupBy(tracks, ({ language }) => language).values()].map(([first]) => first!);
}

type TextTrack = Pick<Caption, 'language' | 'kind'>;

/** Whether one of the text tracks has what is said in a language. */
export const hasText = (tracks: readonly TextTrack[], language: string): boolean =>
  tracks.some(
    (one) =>
      (one.kind === 'captions' || one.kind === 'subtitles') &&
      (covers(one.language, language) || covers(language, one.language)),
  );

/** Why captions are not made of a language that was detected. Undefined when they are. */
export function whyNotIn(language: string, pending: Caption, captions: readonly Caption[]): string | undefined {
  const others = captions.filter(({ ulid, status }) => ulid !== pending.ulid && status === 'completed');
  const { template, replaces = false } = pending.speech ?? {};
  if (template?.languages && !template.languages.some((tag) => covers(tag, language))) {
    return `The template wants no captions of the spoken language (${language}).`;
  }
  const isTaken = template?.onlyMissing
    ? hasText(others, language)
    : others.some(
        (one) =>
          one.language === language &&
          one.kind === pending.kind &&
          !(replaces && !(template && one.origin === 'upload')),
      );
  return isTaken ? `The video has captions of the spoken language (${language}).` : undefined;
}
