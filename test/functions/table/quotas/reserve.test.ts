import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as account } from '../../../../functions/api/account.lambda.ts';
import { handler as uploads } from '../../../../functions/api/uploads.lambda.ts';
import { uploadLimits } from '../../../../functions/common/limits.ts';
import { handler as createVideo } from '../../../../functions/pipeline/create-video.lambda.ts';
import { updateUser } from '../../../../functions/table/accounts/user-table.ts';
import { queryItems, transact, write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { removeStaleReservations } from '../../../../functions/table/quotas/reservations.ts';
import { listUsage } from '../../../../functions/table/statistics/usage-table.ts';
import { createTemplate } from '../../../../functions/table/template-table.ts';
import { closeUpload, findAnyUpload } from '../../../../functions/table/uploads/upload-table.ts';
import { findWholeVideo } from '../../../../functions/table/videos/video-table.ts';
import { usageWrites } from '../../../../functions/table/writes/usage-writes.ts';
import { callHandler } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { useBucket } from '../../../fixtures/use-bucket.ts';
import { useTable } from '../../../fixtures/use-table.ts';

/** The quota of uploaded bytes, by the operations that hold and use it. */
useTable();
useBucket();

let who: Awaited<ReturnType<typeof createPerson>>;
let template: string;
beforeEach(async () => {
  who = await createPerson();
  template = (await createTemplate(who.user.ulid, { name: 'Web', query: { version: 1 } })).ulid;
});
afterEach(() => void vi.useRealTimers());

async function allow(uploadBytesPerMonth: number | null, encodingCpuSecondsPerMonth: number | null = null) {
  who.user = await updateUser(who.user, { quota: { uploadBytesPerMonth, encodingCpuSecondsPerMonth } }, who.user);
}

const create = (size?: number, body: object = {}) =>
  callHandler(uploads, 'POST /api/objstore/multipart', {
    token: who.token,
    body: { filename: 'clip.mp4', metadata: { template }, ...(size && { size }), ...body },
  });
const abort = (uploadId: string) =>
  callHandler(uploads, `DELETE /api/objstore/multipart/${uploadId}`, { token: who.token });
const use = async () => (await callHandler(account, 'GET /api/me', { token: who.token })).json.usage;
const uploaded = async (amount: number, atMilliseconds = Date.now()): Promise<void> =>
  transact(
    usageWrites({ userUlid: who.user.ulid, metric: 'upload_bytes', externalUserId: null, amount, atMilliseconds }),
  );
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted();

async function sendPart(uploadId: string, bytes: number) {
  const { url } = (await callHandler(uploads, `GET /api/objstore/multipart/${uploadId}/1`, { token: who.token })).json;
  const { headers } = await fetch(url, { method: 'PUT', body: Buffer.alloc(bytes, 1) });
  return [{ PartNumber: 1, ETag: headers.get('etag') }];
}
const complete = (uploadId: string, parts: unknown) =>
  callHandler(uploads, `POST /api/objstore/multipart/${uploadId}/complete`, { token: who.token, body: { parts } });
const storeEvent = (key: string, executionArn: string) =>
  createVideo({ event: { detail: { object: { key } } }, executionArn });

describe('the declared size of an open upload', () => {
  test('is held until the upload is aborted, and /api/me shows it', async () => {
    await allow(1000);
    await uploaded(300);
    const { uploadId } = (await create(600)).json;
    expect(await use()).toMatchObject({ upload_bytes: { used: 300, reserved: 600 } });
    expect(await create(101)).toMatchObject({
      status: 402,
      json: {
        message: 'The quota of 1000 uploaded bytes a month does not allow this: 300 are used and 600 reserved.',
      },
    });
    expect(await create(100)).toMatchObject({ status: 200 });
    expect(await abort(uploadId)).toMatchObject({ status: 200 });
    expect(await abort(uploadId)).toMatchObject({ status: 200 });
    expect(await use()).toMatchObject({ upload_bytes: { used: 300, reserved: 100 } });
  });

  test('is held once for each of many concurrent requests, which together do not exceed the quota', async () => {
    await allow(450);
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(100)));
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 402, 402, 402, 402]);
    expect(await use()).toMatchObject({ upload_bytes: { reserved: 400 } });
  });

  test('is released when the upload expires or is closed', async () => {
    await allow(1000);
    const { ulid } = (await create(900)).json;
    expect(await closeUpload((await findAnyUpload(ulid))!, 'expired')).toBe(true);
    expect(await use()).toMatchObject({ upload_bytes: { used: 0, reserved: 0 } });
  });

  test('is not limited without a quota, and is held for a later one', async () => {
    expect(await create(5 * 2 ** 40)).toMatchObject({ status: 200 });
    expect(await use()).toMatchObject({ upload_bytes: { reserved: 5 * 2 ** 40 } });
    await allow(6 * 2 ** 40);
    expect(await create(2 * 2 ** 40)).toMatchObject({ status: 402 });
  });

  test('is checked after the fields and the limit of open uploads', async () => {
    await allow(0);
    expect(await create(1, { filename: '' })).toMatchObject({ status: 422 });
    expect(await create(1, { metadata: { template: '01K9Z3P6M8N9P0Q1R2S3T4V5W6' } })).toMatchObject({ status: 422 });
    expect(await create(1)).toMatchObject({ status: 402 });
    await write({ update: keys.userCounts(who.user.ulid), set: { openUploads: uploadLimits.maxOpenUploads } });
    expect(await create(1)).toMatchObject({ status: 422 });
  });

  test('does not matter when the CPU time of the month is used up', async () => {
    await allow(null, 10);
    const spent = { userUlid: who.user.ulid, metric: 'encoding_cpu', externalUserId: null, amount: 10_000 } as const;
    await transact(usageWrites({ ...spent, atMilliseconds: Date.now() }));
    expect(await create(1)).toMatchObject({
      status: 402,
      json: { message: 'The quota of 10 CPU seconds a month does not allow this: 10 are used and 0 reserved.' },
    });
  });
});

test('the quota is for a month, UTC', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-30T23:59:00Z') });
  await allow(1000);
  await uploaded(1000);
  expect(await create(1)).toMatchObject({ status: 402 });
  vi.setSystemTime(Date.parse('2026-12-01T00:00:00Z'));
  expect(await create(1)).toMatchObject({ status: 200 });
  expect(await use()).toEqual({
    month: '2026-12',
    upload_bytes: { used: 0, reserved: 1 },
    encoding_cpu_seconds: { used: 0, reserved: 0 },
  });
});

describe('a completed upload', () => {
  test('that was sent before its owner had a quota, which it exceeds, is 402, and stays open', async () => {
    for (const declared of [1, undefined]) {
      await allow(null);
      const { uploadId } = (await create(declared)).json;
      const parts = await sendPart(uploadId, 1001);
      await allow(1000);
      expect(await complete(uploadId, [])).toMatchObject({ status: 422 });
      expect(await complete(uploadId, parts)).toMatchObject({ status: 402 });
      expect((await findAnyUpload(uploadId))?.status).toBe('open');
      if (!declared) {
        const signed = await callHandler(uploads, `GET /api/objstore/multipart/${uploadId}/2`, { token: who.token });
        expect(signed).toMatchObject({ status: 409 });
      }
      expect(await abort(uploadId)).toMatchObject({ status: 200 });
    }
  });

  test('cannot store more than its declared size before it is completed', async () => {
    await allow(1000);
    expect(await create()).toMatchObject({ status: 422, json: { errors: { size: [expect.any(String)] } } });
    const { uploadId } = (await create(700)).json;
    expect(await sendPart(uploadId, 701)).toMatchObject([{ ETag: null }]);
    const signed = await callHandler(uploads, `GET /api/objstore/multipart/${uploadId}/2`, { token: who.token });
    expect(signed).toMatchObject({ status: 422 });
    expect(await complete(uploadId, await sendPart(uploadId, 700))).toMatchObject({ status: 200 });
  });

  test('holds its real size until it is a video, which is counted once', async () => {
    await allow(1000);
    const { uploadId, key } = (await create(700)).json;
    const parts = await sendPart(uploadId, 700);
    expect(await complete(uploadId, parts)).toMatchObject({ status: 200 });
    expect(await complete(uploadId, parts)).toMatchObject({ status: 200 });
    expect(await use()).toMatchObject({ upload_bytes: { used: 0, reserved: 700 } });
    expect(await create(301)).toMatchObject({ status: 402 });
    await Promise.all([1, 2, 3].map((number) => storeEvent(key, `arn:${number}`)));
    await storeEvent(key, 'arn:1');
    expect(await use()).toMatchObject({ upload_bytes: { used: 700, reserved: 0 } });
    const rows = await listUsage(who.user.ulid, '2000-01-01', '2999-01-01');
    expect(rows.reduce((sum, { value }) => sum + value, 0)).toBe(700);
  });
});

describe('a form', () => {
  type Form = { url: string; fields: Record<string, string> };
  const params = (query: object = {}) => {
    const sent = new URLSearchParams({ filename: 'clip.mp4', 'metadata[template]': template, ...query });
    return callHandler(uploads, `GET /api/objstore/params?${sent}`, { token: who.token });
  };
  async function send({ url, fields }: Form, bytes: number): Promise<number> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('file', new Blob([Buffer.alloc(bytes, 1)]));
    return (await fetch(url, { method: 'POST', body })).status;
  }

  test('takes no more than its declared size, or than is left of the quota', async () => {
    await allow(1000);
    const [declared, other] = [(await params({ size: '600' })).json, (await params()).json];
    expect(await use()).toMatchObject({ upload_bytes: { reserved: 600 } });
    expect([await send(declared, 601), await send(declared, 600)]).toEqual([400, 201]);
    expect([await send(other, 401), await send(other, 400)]).toEqual([400, 201]);
    expect(await params({ size: '401' })).toMatchObject({ status: 402 });
    expect(await params({ size: '0' })).toMatchObject({ status: 422 });
  });

  test('that exceeds the quota when it arrives becomes a failed video without a file and without usage', async () => {
    await allow(1000);
    const forms: Form[] = [(await params()).json, (await params()).json];
    for (const form of forms) expect(await send(form, 600)).toBe(201);
    const decisions = [];
    for (const { fields } of forms) decisions.push((await storeEvent(fields.key!, `arn:${fields.key}`)).decision);
    expect(decisions).toEqual(['process', 'ignored']);
    const ulid = forms[1]!.fields.key!.split('/')[2]!;
    const { video, streams } = (await findWholeVideo(ulid))!;
    expect([video.status, streams[0]?.errorLog]).toEqual([
      'failed',
      "QUOTA_EXCEEDED: The file has 600 bytes, more than is left of this month's quota. Upload it again next month, or ask the administrator for a higher quota.",
    ]);
    expect((await storeEvent(forms[1]!.fields.key!, 'arn:late')).decision).toBe('already-created');
    expect(await use()).toMatchObject({ upload_bytes: { used: 600, reserved: 0 } });
  });
});

test('what is held for an upload or a run that has ended is removed before a request is refused', async () => {
  await allow(1000);
  const { ulid } = (await create(900)).json;
  // As if the release had been lost.
  await write({ update: keys.upload(ulid), set: { status: 'aborted' } });
  const { pk } = keys.reservations(who.user.ulid);
  await write({ put: { ...keys.runReservation(who.user.ulid, ulid, 1), kind: 'reservation', cpuMilliseconds: -5 } });
  expect(await create(900)).toMatchObject({ status: 200 });
  expect((await queryItems(pk, 'HELD#')).map(({ uploadBytes }) => uploadBytes)).toEqual([900]);
  expect(await removeStaleReservations(who.user.ulid)).toBe(0);
});
