import { expect, test } from 'vitest';
import { serializeVideo } from '../../../../functions/serializers/serialize-video.ts';
import { eventBody, maxBodyBytes } from '../../../../functions/webhooks/events/event-body.ts';
import { buildOutput, buildStream, buildVideo } from '../../../fixtures/records/store-video.ts';

const at = '2026-11-22T12:00:00.000000Z';

/** The data of a video with so many streams, each with facts of so many bytes. */
function dataOf(streamCount: number, factBytes: number) {
  const streams = Array.from({ length: streamCount }, () =>
    buildStream({ meta: { codec: 'h264', streams: ['x'.repeat(factBytes)] } }),
  );
  const outputs = [buildOutput({ streams: streams.map(({ ulid }) => ulid) })];
  const whole = { video: buildVideo(), streams, outputs, edits: [], done: {} };
  return { ...serializeVideo(whole, undefined), sequence: 7 };
}

test('a record that fits is sent as the API shows it', () => {
  const data = dataOf(2, 10);
  expect(JSON.parse(eventBody('video.completed', at, data))).toEqual({ type: 'video.completed', timestamp: at, data });
});

test.each([
  [2, 20_000],
  [30, 10],
  [30, 20_000],
  [500, 100_000],
])('with %i streams of %i bytes of facts, the body is below 20 kB and has the status', (streamCount, factBytes) => {
  const body = eventBody('video.completed', at, dataOf(streamCount, factBytes));
  expect(Buffer.byteLength(body)).toBeLessThan(maxBodyBytes);
  expect(JSON.parse(body).data).toMatchObject({ status: 'completed', sequence: 7, shortened: true });
});

test('what is left out first is what was found about the tracks of the source', () => {
  const { data } = JSON.parse(eventBody('video.completed', at, dataOf(2, 20_000)));
  expect(data.streams.map((stream: { meta: unknown }) => stream.meta)).toEqual([{ codec: 'h264' }, { codec: 'h264' }]);
  expect(data.outputs[0].streams).toHaveLength(2);
});

test('a single stream is shortened too', () => {
  const [stream] = dataOf(1, 30_000).streams;
  const { data } = JSON.parse(eventBody('stream.completed', at, { ...stream, sequence: 7 }));
  expect(data).toMatchObject({ ulid: stream!.ulid, status: 'completed', meta: { codec: 'h264' }, shortened: true });
});

test('of a record that does not fit at all, the ids are left', () => {
  const data = { ulid: 'x', sequence: 7, name: 'y'.repeat(30_000) };
  expect(JSON.parse(eventBody('node.failed', at, data)).data).toEqual({ ulid: 'x', sequence: 7, shortened: true });
});
