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
  const chosen = defaultCaption(captions);
  return captions.flatMap((caption) => {
    const { ulid, language, kind, label, key } = caption;
    if (kind === 'chapters' || key === null) return [];
    return [
      {
        ...{ id: `text-${ulid}`, language, kind },
        name: numberedName(label, names),
        isDefault: caption === chosen,
        path: pathOf(key),
      },
    ];
  });
}

/** The captions that players show unless the viewer chooses others. */
export const defaultCaption = (captions: readonly Caption[]): Caption | undefined =>
  captions
    .filter(({ isDefault, kind, key }) => isDefault && kind !== 'chapters' && key !== null)
    .reduce<Caption | undefined>((last, one) => (last && last.version > one.version ? last : one), undefined);
