import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openAccount } from './account.ts';
import { clients } from './clients.ts';
import { type Lab, openLab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab(inject('apiUrl'));
});
afterAll(() => lab.close());

const ways = [
  ['5.1.0 in parts', clients.five, true],
  ['5.1.0 by form', clients.fiveByEndpoint, false],
  ['6.3.1 in parts', clients.six, true],
  ['6.3.1 by form', clients.six, false],
] as const;

/** 5.1.0 shows the API's message; 6.3.1 uses only the status of an error. */
const refusal = (major: 5 | 6, words: string) =>
  major === 5 ? words : 'Companion request failed: Unprocessable Entity';

const longestId = '😀'.padEnd(255, 'i');
const files = [
  { name: 'h ü.mp4', sent: 42, kept: '42' },
  { name: 'a+b&c=d%20.mp4', sent: null, kept: null },
  { name: '../../😀.mp4', sent: '', kept: null },
  { name: 'n'.repeat(255), sent: longestId, kept: longestId },
];

const refused = [
  { file: { name: 'n'.repeat(300) }, words: 'The filename field must not be greater than 255 characters.' },
  {
    file: { name: 'id', meta: { externalUserId: 'i'.repeat(256) } },
    words: 'The metadata.externalUserId field must not be greater than 255 characters.',
  },
  { file: { name: 'none', meta: { template: null } }, words: 'The metadata.template field is required.' },
  { file: { name: 'bad', meta: { template: 'first' } }, words: 'The metadata.template field format is invalid.' },
];

describe.each(ways)('Uppy %s', (_, client, inParts) => {
  test('file and user names with any characters are kept by the video; the key has safe characters only', async () => {
    const page = await lab.page(client, { inParts });
    for (const { name, sent } of files) await page.add({ name, bytes: 1, meta: { externalUserId: sent } });
    const uploaded = await page.upload();
    expect(uploaded.map(({ error }) => error)).toEqual(files.map(() => null));
    const keys = uploaded.map(({ body }) => body!.key);
    for (const key of keys) expect(key).toMatch(/^uploads\/\w{26}\/\w{26}\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/);
    const videos = await Promise.all(keys.map((key) => lab.account.client.waitFor(key.split('/')[2]!, () => true)));
    expect(videos.map(({ name, externalUserId }) => ({ name, externalUserId }))).toEqual(
      files.map(({ name, kept }) => ({ name, externalUserId: kept })),
    );
    await page.close();
  });

  test('shows why the API refuses a file', async () => {
    const page = await lab.page(client, { inParts });
    for (const { file } of refused) await page.add({ bytes: 1, ...file });
    const errors = (await page.upload()).map(({ error }) => error);
    expect(errors).toEqual(refused.map(({ words }) => refusal(client.major, words)));
    expect(new Set((await page.look()).shown)).toEqual(new Set(errors));
    expect(page.calls).toEqual(refused.map(() => (inParts ? 'create 422' : 'params 422')));
    await page.close();
  });
});

test('a template of another user is refused', async () => {
  const { template } = await openAccount(inject('apiUrl'));
  const page = await lab.page(clients.five, { inParts: true, meta: { template } });
  await page.add({ name: 'a.mp4', bytes: 1 });
  expect(await page.upload()).toMatchObject([{ error: 'The selected metadata.template is invalid.' }]);
  await page.close();
});

test('an upload for an external user counts in the usage of that external user', async () => {
  const page = await lab.page(clients.six, { inParts: true });
  for (const bytes of [2, 3]) await page.add({ name: `${bytes}.mp4`, bytes, meta: { externalUserId: 1001 } });
  await page.upload();
  const bytesOf1001 = async () =>
    (await lab.account.client.usageOfToday()).find(
      ({ metric, external_user_id }) => metric === 'upload_bytes' && external_user_id === '1001',
    )?.value;
  await expect.poll(bytesOf1001).toBe(5);
  await page.close();
});
