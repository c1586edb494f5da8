import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  CloudWatchLogsClient,
  ConflictException,
  CreateDeliveryCommand,
  DeleteDeliveryCommand,
  DeleteDeliverySourceCommand,
  DescribeDeliveriesCommand,
  PutDeliveryDestinationCommand,
  PutDeliverySourceCommand,
  ResourceNotFoundException,
  UpdateDeliveryConfigurationCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { GetParameterCommand, ParameterAlreadyExists, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../../functions/delivery/deployment/edge-log.lambda.ts';
import { handler as originSecret } from '../../../../functions/delivery/deployment/origin-secret.lambda.ts';
import { listen } from '../../../../local/server/listen.ts';

// What is repeated is repeated at once.
vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));
const named = (name: string) => Object.assign(new Error(name), { name });
const logs = mockClient(CloudWatchLogsClient);
const parameters = mockClient(SSMClient);
const $metadata = {};
let answers: Record<string, unknown>[] = [];
let server: Server;

/** What CloudFormation gets from the function. */
beforeAll(async () => {
  server = createServer(async (request, response) => {
    answers.push((await json(request)) as Record<string, unknown>);
    response.end();
  });
  await listen(server, 0);
  vi.stubEnv('PARAMETER_PREFIX', '/video-service/test');
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  answers = [];
  logs.reset();
  parameters.reset();
  logs.on(PutDeliveryDestinationCommand).resolves({ deliveryDestination: { arn: 'arn:destination' } });
  logs.on(DescribeDeliveriesCommand).resolves({
    deliveries: [
      { id: 'other', deliverySourceName: 'y' },
      { id: 'D1', deliverySourceName: 'x' },
    ],
  });
});

const ResourceProperties = {
  Name: 'x',
  DistributionArn: 'arn:distribution',
  DestinationArn: 'arn:aws:s3:::media/logs/edge',
  RecordFields: ['date', 'time'],
};
const event = (RequestType: string) => ({
  RequestType,
  ResponseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'AccessLog',
  ResourceProperties,
});

test('the access log is delivered as JSON with the given fields', async () => {
  await handler(event('Create'));
  expect(logs.commandCalls(PutDeliverySourceCommand)[0]!.args[0].input).toEqual({
    name: 'x',
    resourceArn: 'arn:distribution',
    logType: 'ACCESS_LOGS',
  });
  expect(logs.commandCalls(CreateDeliveryCommand)[0]!.args[0].input).toEqual({
    deliverySourceName: 'x',
    deliveryDestinationArn: 'arn:destination',
    recordFields: ['date', 'time'],
  });
  expect(answers).toEqual([
    {
      StackId: 'stack',
      RequestId: 'request',
      LogicalResourceId: 'AccessLog',
      PhysicalResourceId: 'edge-log',
      NoEcho: true,
      Status: 'SUCCESS',
      Data: {},
    },
  ]);
});

test('a repeated creation and an update change the delivery that exists', async () => {
  logs.on(CreateDeliveryCommand).rejects(new ConflictException({ message: 'exists', $metadata }));
  await handler(event('Update'));
  expect(logs.commandCalls(UpdateDeliveryConfigurationCommand)[0]!.args[0].input).toEqual({
    id: 'D1',
    recordFields: ['date', 'time'],
  });
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('a deletion removes what exists', async () => {
  logs.on(DeleteDeliverySourceCommand).rejects(new ResourceNotFoundException({ message: 'none', $metadata }));
  await handler(event('Delete'));
  expect(logs.commandCalls(DeleteDeliveryCommand)[0]!.args[0].input).toEqual({ id: 'D1' });
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('a deletion ends well without permissions, because it must not stop the deletion of the stack', async () => {
  logs.on(DescribeDeliveriesCommand).rejects(named('AccessDeniedException'));
  logs.on(DeleteDeliverySourceCommand).rejects(named('AccessDeniedException'));
  await handler(event('Delete'));
  expect(logs.commandCalls(DeleteDeliverySourceCommand)).toHaveLength(1);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('a deletion waits until the source is no longer in use', async () => {
  logs
    .on(DeleteDeliverySourceCommand)
    .rejectsOnce(new ConflictException({ message: 'in use', $metadata }))
    .resolves({});
  await handler(event('Delete'));
  expect(logs.commandCalls(DeleteDeliverySourceCommand)).toHaveLength(2);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test.each(['AccessDeniedException', 'ValidationException'])(
  'a creation waits for the permissions of role and bucket after %s',
  async (name) => {
    logs.on(CreateDeliveryCommand).rejectsOnce(named(name)).rejectsOnce(named(name)).resolves({});
    await handler(event('Create'));
    expect(logs.commandCalls(CreateDeliveryCommand)).toHaveLength(3);
    expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
  },
);

test('a creation that is refused for half a minute fails', async () => {
  logs.on(CreateDeliveryCommand).rejects(named('AccessDeniedException'));
  await handler(event('Create'));
  expect(logs.commandCalls(CreateDeliveryCommand)).toHaveLength(6);
  expect(answers).toMatchObject([{ Status: 'FAILED' }]);
});

test('the secret of the origin waits for the permission to create it', async () => {
  parameters.on(PutParameterCommand).rejectsOnce(named('AccessDeniedException')).resolves({});
  parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'secret' } });
  await originSecret(event('Create'));
  expect(answers).toMatchObject([{ Status: 'SUCCESS', Data: { Value: 'secret' } }]);
});

test('CloudFormation gets a failure as an answer, without its details', async () => {
  logs.on(PutDeliverySourceCommand).rejects(new Error('secret detail'));
  await handler(event('Create'));
  expect(answers).toMatchObject([{ Status: 'FAILED', Reason: expect.not.stringContaining('secret detail') }]);
});

test('the secret of the origin is created once and stays when the resource is deleted', async () => {
  let stored: string | undefined;
  parameters.on(GetParameterCommand).callsFake(() => ({ Parameter: { Value: stored } }));
  parameters.on(PutParameterCommand).callsFake(({ Value }) => {
    if (stored !== undefined) throw new ParameterAlreadyExists({ message: 'there', $metadata });
    stored = Value;
    return {};
  });
  for (const type of ['Create', 'Update', 'Delete']) await originSecret(event(type));
  expect(stored).toMatch(/^[\w-]{43}$/);
  expect(answers).toMatchObject([{ Data: { Value: stored } }, { Data: { Value: stored } }, { Status: 'SUCCESS' }]);
});
