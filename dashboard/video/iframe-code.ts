type EmbedOptions = {
  /** of the player page */
  url: string;
  title: string;
  /** such as 16:9; null when unknown */
  aspectRatio: string | null;
};

/** HTML for another site. */
export const embedCode = ({ url, title, aspectRatio }: EmbedOptions): string =>
  `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" ` +
  `style="border: 0; width: 100%; aspect-ratio: ${(aspectRatio ?? '16:9').replace(':', ' / ')}" ` +
  'allow="autoplay; fullscreen; picture-in-picture" allowfullscreen loading="lazy"></iframe>';

/** The domains of a field, by commas, spaces or lines. */
export const domainsOf = (field: string): string[] => field.split(/[\s,]+/).filter((domain) => domain !== '');

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
