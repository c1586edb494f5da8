import { expect, test } from 'vitest';
import { textRenditions } from '../../../../functions/packaging/captions/text-renditions.ts';
import type { Caption } from '../../../../functions/table/records.ts';

const caption = (label: string, kind: Caption['kind'], key: string | null = `${label}-${kind}.vtt`): Caption =>
  ({ ulid: key, language: 'de', kind, label, key, isDefault: false, version: 1 }) as unknown as Caption;

const names = (captions: Caption[]) => textRenditions(captions, (key) => key).map(({ name }) => name);

test('tracks of one name say what they are for', () => {
  const kinds = ['subtitles', 'captions', 'forced'] as const;
  expect(names(kinds.map((kind) => caption('Deutsch', kind)))).toEqual(['Deutsch', 'Deutsch (CC)', 'Deutsch (forced)']);
  expect(names([caption('Deutsch', 'captions'), caption('English', 'forced')])).toEqual(['Deutsch', 'English']);
});

test('tracks that are not listed do not change the names of others', () => {
  const others = [caption('Deutsch', 'chapters'), caption('Deutsch', 'subtitles', null)];
  expect(names([...others, caption('Deutsch', 'captions')])).toEqual(['Deutsch']);
});
