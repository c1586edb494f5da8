import { expect, test } from 'vitest';
import {
  type Caption,
  formOf,
  generationOf,
  isPending,
  languageInName,
  mediaTypeOf,
  paramsOf,
} from '../../../../dashboard/video/captions/caption-form.ts';

test('the call has what the user entered, and no empty name', () => {
  const form = { ...formOf(), language: ' de ', label: ' ', isDefault: true };
  expect(paramsOf('01A', form)).toEqual({
    path: { ulid: '01A', language: 'de' },
    query: { kind: 'captions', default: true },
  });
  expect(paramsOf('01A', { ...form, label: ' Deutsch ', kind: 'chapters' }).query).toEqual({
    kind: 'chapters',
    label: 'Deutsch',
    default: false,
  });
});

test('captions from speech that a user stores are not called automatic any more, others keep their name', () => {
  const caption = { language: 'de', kind: 'captions', label: 'German (automatic)', default: false } as Caption;
  expect(formOf({ ...caption, origin: 'generated' }).label).toBe('');
  expect(formOf({ ...caption, origin: 'upload', label: 'Deutsch' }).label).toBe('Deutsch');
});

test('captions from speech are asked for with the language that was entered, which is detected otherwise', () => {
  expect(generationOf(' de ', false)).toEqual({ language: 'de' });
  expect(generationOf(' ', true)).toEqual({ replace: true });
  expect((['pending', 'completed', 'failed'] as const).map((status) => isPending({ status }))).toEqual([
    true,
    false,
    false,
  ]);
});

test.each([
  ['a.vtt', [0x57, 0x45], 'text/vtt'],
  ['A.VTT', [], 'text/vtt'],
  ['a.srt', [0x31], 'application/x-subrip'],
  ['a.vtt', [0xff, 0xfe, 0x57, 0], 'application/x-subrip'],
] as const)('%s that starts with %j is sent as %s', async (name, bytes, type) => {
  expect(await mediaTypeOf(new File([new Uint8Array(bytes)], name))).toBe(type);
});

test.each([
  ['film.de.srt', 'de'],
  ['film.pt-BR.vtt', 'pt-BR'],
  ['film_en.vtt', 'en'],
  ['film.srt', undefined],
  ['untitled', undefined],
])('the language in %s is %s', (name, language) => {
  expect(languageInName(name)).toBe(language);
});
