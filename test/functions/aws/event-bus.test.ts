import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, serveEventBus, testClock } from 'embedded-aws/testing';
import { afterEach, expect, test, vi } from 'vitest';

const functionArn = 'arn:aws:lambda:local-1:000000000000:function:completed';
const ruleOf = (busName: string, detailType: string) => ({ busName, source: 'video-service', detailType, functionArn });

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  vi.unstubAllEnvs();
});

test('an event of the service reaches the rule for its type on the bus of the stage, and no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'service-event-bus-'));
  closing.push(() => rm(folder, { recursive: true }));
  const clock = testClock();
  const invokeLambda = vi.fn(async (_arn: string, _event: unknown) => {});
  const rules = [
    ruleOf('video-service-dev', 'video.completed'),
    ruleOf('video-service-dev', 'video.failed'),
    ruleOf('default', 'video.completed'),
  ];
  const served = await serveEventBus({
    path: join(folder, 'events.journal'),
    clock,
    busName: 'video-service-dev',
    rules,
    invokeLambda,
  });
  closing.push(served.stop);
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL: served.endpoint,
    AWS_REGION: 'local-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    EVENT_BUS_NAME: 'video-service-dev',
  })) {
    vi.stubEnv(name, value);
  }
  const { putEvents } = await import('../../../functions/aws/event-bus.ts');

  const at = new Date('2026-11-22T10:00:00Z');
  const refused = await putEvents([{ id: '01', type: 'video.completed', at, detail: '{"id":"01","data":{}}' }]);
  expect(refused).toEqual(new Set());
  clock.advance(0);
  await vi.waitFor(() => expect(invokeLambda).toHaveBeenCalledTimes(1));
  const [arn, event] = invokeLambda.mock.calls[0]!;
  expect(arn).toBe(functionArn);
  expect(event).toMatchObject({
    source: 'video-service',
    'detail-type': 'video.completed',
    time: '2026-11-22T10:00:00Z',
    detail: { id: '01', data: {} },
  });
});
