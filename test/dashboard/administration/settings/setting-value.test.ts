import { afterEach, expect, test } from 'vitest';
import { valueText } from '../../../../dashboard/administration/settings/setting-value.ts';
import { de } from '../../../../dashboard/messages/de.ts';
import { en } from '../../../../dashboard/messages/en.ts';
import { language, text } from '../../../../dashboard/messages/messages.ts';

afterEach(() => {
  language.value = 'en';
  text.value = en;
});

test.for([
  ['jobTimeoutSeconds', 75, '75 seconds'],
  ['jobTimeoutSeconds', 90, '90 seconds'],
  ['jobTimeoutSeconds', 5400, '90 minutes'],
  ['jobTimeoutSeconds', 7200, '2 hours'],
  ['jobTimeoutSeconds', 0.5, '0.5 seconds'],
  ['jobTimeoutSeconds', 0, '0 seconds'],
  ['max_link_seconds', 604_800, '7 days'],
  ['max_upload_bytes', 5 * 1024 ** 4, '5 TiB'],
  ['max_template_query_bytes', 65_536, '64 KiB'],
  ['max_template_query_bytes', 65_000, '65 kB'],
  ['workFileDays', 1, '1 day'],
  ['workers.idleSyncMs', 1500, '1,500 milliseconds'],
  ['maxRunningExecutions', 1000, '1,000'],
] as const)('%s of %d is shown exactly', ([name, value, shown]) => {
  expect(valueText(name, value)).toBe(shown);
});

test('other values are words or lists, in the language of the user', () => {
  language.value = 'de';
  text.value = de;
  expect(valueText('jobTimeoutSeconds', 5400)).toBe('90 Minuten');
  expect(valueText('keepData', true)).toBe('Ja');
  expect(valueText('domain', null)).toBe(de.administration.settings.notSet);
  expect(valueText('allowedOrigins', [])).toBe(de.common.none);
  expect(valueText('allowedOrigins', ['https://a.example', 'https://b.example'])).toBe(
    'https://a.example, https://b.example',
  );
});
