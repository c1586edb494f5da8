import { describe, expect, test } from 'vitest';
import { handler } from '../../../../functions/api/videos.lambda.ts';
import type { User } from '../../../../functions/table/records.ts';
import { maxMetaBytes } from '../../../../shared/protocol/probe-document.ts';
import { callHandler } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { buildStream, storeVideo } from '../../../fixtures/records/store-video.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

/** The size that Lambda limits: the response with its body as an escaped string. */
const lambdaBytes = (text: string | undefined) => Buffer.byteLength(JSON.stringify({ statusCode: 200, body: text }));
const largestBytes = 6 * 1_000_000;

/** Facts about the maximum number of tracks of a source. */
const track = { index: 1, codec_type: 'audio', codec_name: 'aac', profile: 'x'.repeat(200) };
const streams = Array.from({ length: Math.floor(maxMetaBytes / 280) }, (_, index) => ({ ...track, index }));
const original = () =>
  buildStream({
    type: 'original',
    track: '',
    meta: { format: { format_name: 'mov' }, streams, warnings: ['Cut off.'] },
  });

async function store(user: User, count: number, encoded: number): Promise<string> {
  let ulid = '';
  for (let index = 0; index < count; index++) {
    const tracks = [original(), ...Array.from({ length: encoded }, () => buildStream())];
    ({ ulid } = (await storeVideo(user, { streams: tracks, outputs: [] })).video);
  }
  return ulid;
}

describe('a page of videos', () => {
  test('of 100 sources with many tracks fits into a Lambda response', async () => {
    const { user, token } = await createPerson();
    const ulid = await store(user, 100, 20);
    const { status, text, json } = await callHandler(handler, 'GET /api/videos?per_page=100', { token });
    expect([status, json.data.length]).toEqual([200, 100]);
    expect(lambdaBytes(text)).toBeLessThan(largestBytes);
    expect(json.data[0].streams[0].meta).toEqual({ format: { format_name: 'mov' }, warnings: ['Cut off.'] });
    const whole = await callHandler(handler, `GET /api/videos/${ulid}`, { token });
    expect(whole.json.data.streams[0].meta.streams).toHaveLength(streams.length);
  }, 120_000);

  test('that is still too large is 422, and a smaller one is not', async () => {
    const { user, token } = await createPerson();
    const tracks = () => Array.from({ length: 40 }, () => buildStream({ errorLog: 'y'.repeat(4000) }));
    for (let index = 0; index < 40; index++) await storeVideo(user, { streams: tracks(), outputs: [] });
    expect(await callHandler(handler, 'GET /api/videos?per_page=100', { token })).toMatchObject({
      status: 422,
      json: { errors: { per_page: [expect.stringContaining('Request fewer')] } },
    });
    const { status, text } = await callHandler(handler, 'GET /api/videos?per_page=10', { token });
    expect(status).toBe(200);
    expect(lambdaBytes(text)).toBeLessThan(largestBytes);
  }, 120_000);
});
