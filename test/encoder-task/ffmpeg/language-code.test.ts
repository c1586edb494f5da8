import { expect, test } from 'vitest';
import { languageCode } from '../../../encoder-task/ffmpeg/language-code.ts';
import { languageTag } from '../../../encoder-task/probe/track-tags.ts';

test.each([
  ['eng', 'en', 'eng'],
  ['ger', 'de', 'deu'],
  ['fre', 'fr', 'fra'],
  ['chi', 'zh', 'zho'],
  ['zho', 'zh', 'zho'],
  ['haw', 'haw', 'haw'],
  ['pt-br', 'pt-BR', 'por'],
  ['en_US', 'en-US', 'eng'],
  ['und', 'und', 'und'],
  [undefined, 'und', 'und'],
  ['', 'und', 'und'],
  ['klingon language!', 'und', 'und'],
  ['x'.repeat(40), 'und', 'und'],
])('%s is %s, and in MP4 %s', (written, tag, code) => {
  expect(languageTag(written)).toBe(tag);
  expect(languageCode(tag)).toBe(code);
});
