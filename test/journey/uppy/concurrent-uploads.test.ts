import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { versions } from './clients.ts';
import { type Lab, openLab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab(inject('apiUrl'));
});
afterAll(() => lab.close());

test.each(versions)(
  'Uppy %s uploads six files of three parts at once without meeting a rate limit',
  async (_, client) => {
    const page = await lab.page(client, { inParts: true });
    for (let number = 1; number <= 6; number++) await page.add({ name: `${number}.mp4`, bytes: 11 * 2 ** 20 });
    const files = await page.upload();
    expect(files.map(({ error, complete }) => ({ error, complete }))).toEqual(
      Array(6).fill({ error: null, complete: true }),
    );
    const expected = ['create', 'complete', ...[1, 2, 3].flatMap((part) => [`sign ${part}`, `put ${part}`])];
    expect(page.calls.toSorted()).toEqual(Array(6).fill(expected).flat().toSorted());
    expect(page.complaints).toEqual([]);
    await page.close();
  },
);
