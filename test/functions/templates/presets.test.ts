import { expect, test } from 'vitest';
import { presets } from '../../../functions/templates/presets.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';

test.each(presets.map((preset) => [preset.slug, preset] as const))('the preset %s is a valid query', (_, preset) => {
  expect(templateQuerySchema.safeParse(preset.query).error).toBeUndefined();
});

test('presets have different slugs', () => {
  expect(new Set(presets.map(({ slug }) => slug)).size).toBe(presets.length);
});
