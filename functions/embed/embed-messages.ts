import type { EmbedRefusal } from './embed-access.ts';

export type Language = 'en' | 'de';

type Message = { title: string; text: string };
export type EmbedProblem = EmbedRefusal | 'unavailable';

/** Texts of the pages that viewers see instead of a player. */
export const embedMessages: Record<Language, Record<EmbedProblem, Message> & { noScript: string }> = {
  en: {
    absent: {
      title: 'Video not found',
      text: 'This video does not exist, was deleted, or is not public. Ask the owner of the page for a new link.',
    },
    invalid: {
      title: 'The link is not valid',
      text: 'The link to this video is incomplete or was changed. Ask the owner of the page for a new link.',
    },
    expired: {
      title: 'The link has expired',
      text: 'The link to this video is no longer valid. Ask the owner of the page for a new link.',
    },
    unavailable: {
      title: 'Video not available',
      text: 'This video cannot be delivered at the moment. Reload the page in a minute.',
    },
    noScript: 'This player needs JavaScript. Allow it for this page and reload.',
  },
  de: {
    absent: {
      title: 'Video nicht gefunden',
      text: 'Dieses Video existiert nicht, wurde gelöscht oder ist nicht öffentlich. Bitten Sie den Betreiber der Seite um einen neuen Link.',
    },
    invalid: {
      title: 'Der Link ist ungültig',
      text: 'Der Link zu diesem Video ist unvollständig oder wurde verändert. Bitten Sie den Betreiber der Seite um einen neuen Link.',
    },
    expired: {
      title: 'Der Link ist abgelaufen',
      text: 'Der Link zu diesem Video ist nicht mehr gültig. Bitten Sie den Betreiber der Seite um einen neuen Link.',
    },
    unavailable: {
      title: 'Video nicht verfügbar',
      text: 'Dieses Video kann im Moment nicht ausgeliefert werden. Laden Sie die Seite in einer Minute neu.',
    },
    noScript: 'Dieser Player benötigt JavaScript. Erlauben Sie es für diese Seite und laden Sie sie neu.',
  },
};

/** The language that an Accept-Language header prefers, English if it names neither. */
export function preferredLanguage(acceptLanguage = ''): Language {
  const accepted = acceptLanguage
    .split(',')
    .map((entry) => {
      const [tag = '', quality] = entry
        .trim()
        .toLowerCase()
        .split(/;\s*q=/);
      return { language: tag.split('-')[0], quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ language, quality }) => (language === 'en' || language === 'de') && quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  return accepted[0]?.language === 'de' ? 'de' : 'en';
}
