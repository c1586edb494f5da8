import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openEventBus } from '../../../embedded-aws/src/eventbridge/event-bus.ts';
import { eventsService, eventsTarget } from '../../../embedded-aws/src/eventbridge/eventbridge-operations.ts';
import type { RuleDefinition, RuleTarget } from '../../../embedded-aws/src/template/read-rules.ts';
import { testClock } from '../../../embedded-aws/test/step-functions/test-clock.ts';
import { credentials, serveControl } from '../../fixtures/servers/serve-control.ts';

const place = { region: 'local-1', accountId: '000000000000' };
const arnOf = (path: string) => `arn:aws:events:local-1:000000000000:${path}`;
const functionArn = 'arn:aws:lambda:local-1:000000000000:function:completed';
const target: RuleTarget = {
  id: 'Target0',
  arn: functionArn,
  input: undefined,
  roleArn: undefined,
  maxRetries: 0,
  maxAgeSeconds: 60,
  deadLetterArn: undefined,
  permitted: true,
};
const ruleOf = (busName: string, type: string): RuleDefinition => ({
  name: `${busName}|${type}`,
  busName,
  arn: arnOf(`rule/${busName}/${type}`),
  enabled: true,
  pattern: { source: ['video-service'], 'detail-type': [type] },
  schedule: undefined,
  targets: [target],
});

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
  const bus = await openEventBus({
    ...place,
    path: join(folder, 'events.journal'),
    clock,
    rules,
    invokeLambda,
    isEnabled: () => true,
    startExecution: vi.fn(),
    sendDeadLetter: vi.fn(),
    report: vi.fn(),
  });
  closing.push(bus.close);
  const states = { isEnabled: () => true, setEnabled: async () => {} };
  const buses = [{ name: 'video-service-dev', arn: arnOf('event-bus/video-service-dev') }];
  const service = eventsService({ ...place, rules, states, buses, publish: bus.publishTo });
  const served = await serveControl({ region: place.region, targets: new Map([[eventsTarget, service]]) });
  closing.push(served.stop);
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL: served.endpoint,
    AWS_REGION: place.region,
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
