import { canonicalLanguage } from '../contracts/fields/caption-language.ts';
import type { Caption } from '../table/records.ts';

/** The language of a caption that is made of a text track with this one, which may be unknown or no BCP 47 tag. */
export const languageOfTrack = (language: string | null): string => canonicalLanguage(language ?? 'und') ?? 'und';

/** What a text track and the caption that is made of it have in common. */
export const embeddedCaptionId = ({ language, kind }: { language: string | null; kind: Caption['kind'] }): string =>
  `${languageOfTrack(language)} ${kind}`;
