import { expect, test } from 'vitest';
import { preferredLanguage } from '../../../functions/embed/embed-messages.ts';

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB,de;q=0.9', 'en'],
  ['fr,de;q=0.5,en;q=0.7', 'en'],
  ['fr', 'en'],
  ['de;q=0', 'en'],
  ['de;q=x', 'en'],
] as const)('%s prefers %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
