import { numberedName } from '../../common/numbered-name.ts';
import type { Caption } from '../../table/records.ts';

/** A text track in manifests. `path` is an object key, or relative to the manifest that lists it. */
export type TextRendition = {
  id: string;
  language: string;
  kind: Exclude<Caption['kind'], 'chapters'>;
  /** different from the names of all others */
  name: string;
  isDefault: boolean;
  path: string;
};

/**
 * The captions that players choose from: chapters are in no manifest. At most one is the default, the one that was
 * stored last, since two are not allowed.
 */
export function textRenditions(captions: readonly Caption[], pathOf: (key: string) => string): TextRendition[] {
  const names = new Set<string>();
  const shown = captions.filter(({ kind, key }) => kind !== 'chapters' && key !== null);
  const nameOf = ({ label, kind }: Caption): string =>
    shown.filter((other) => other.label === label).length > 1 ? `${label}${suffixes[kind]}` : label;
  const chosen = defaultCaption(captions);
  return captions.flatMap((caption) => {
    const { ulid, language, kind, key } = caption;
    if (kind === 'chapters' || key === null) return [];
    return [
      {
        id: `text-${ulid}`,
        language,
        kind,
        name: numberedName(nameOf(caption), names),
        isDefault: caption === chosen,
        path: pathOf(key),
      },
    ];
  });
}

/** What tells tracks of the same name apart: mostly those of one language. */
const suffixes: Record<Caption['kind'], string> = {
  captions: ' (CC)',
  forced: ' (forced)',
  subtitles: '',
  chapters: '',
};

/** The captions that players show unless the viewer chooses others. */
export const defaultCaption = (captions: readonly Caption[]): Caption | undefined =>
  captions
    .filter(({ isDefault, kind, key }) => isDefault && kind !== 'chapters' && key !== null)
    .reduce<Caption | undefined>((last, one) => (last && last.version > one.version ? last : one), undefined);
