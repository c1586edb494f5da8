/** BCP 47 allows longer tags, but no language needs one. Tags are part of keys and playlists. */
const maxLength = 35;

/** The canonical form of a BCP 47 language tag: `de-AT` for `DE-at`. Undefined for any other text. */
export function canonicalLanguage(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** The name of a language in this language, such as `Deutsch`; the tag where the name is not known. */
export function languageLabel(language: string): string {
  try {
    const name = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(language);
    return name === undefined ? language : name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  } catch {
    return language;
  }
}
