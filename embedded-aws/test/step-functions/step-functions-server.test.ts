import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DescribeExecutionCommand,
  DescribeMapRunCommand,
  DescribeStateMachineCommand,
  DescribeStateMachineForExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  ListMapRunsCommand,
  ListStateMachinesCommand,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stepFunctionsService, stepFunctionsTarget } from '../../src/step-functions/step-functions-server.ts';
import { credentials, serveControl } from '../../src/testing/serve-control.ts';
import { signRequest } from '../../src/testing/sign-request.ts';
import { invokeAndWait, MACHINE, open, temporaryFolder, until } from './fixture.ts';

const waiting = { StartAt: 'Work', States: { Work: invokeAndWait('enqueue', { HeartbeatSeconds: 45, End: true }) } };
const passing = { StartAt: 'P', States: { P: { Type: 'Pass', Assign: { n: 1 }, End: true } } };
const mapping = {
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      Items: [1, 2, 3],
      ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' }, ...passing },
      End: true,
    },
  },
};

/** An SDK client, over HTTP, for one state machine. */
async function client(definition: object = passing, folder?: string) {
  const tokens: string[] = [];
  const functions = { enqueue: ({ token }: { token: string }) => void tokens.push(token) };
  const targets = new Map([
    [stepFunctionsTarget, stepFunctionsService(await open({ definition, functions, ...(folder && { folder }) }))],
  ]);
  const served = await serveControl({ region: 'eu-west-1', targets });
  const sfn = new SFNClient(served.client);
  onTestFinished(() => {
    sfn.destroy();
    return served.stop();
  });
  return { sfn, tokens, endpoint: served.endpoint };
}

async function started(sfn: SFNClient, name: string, input = '{}'): Promise<string> {
  const answer = await sfn.send(new StartExecutionCommand({ stateMachineArn: MACHINE, name, input }));
  return answer.executionArn ?? '';
}

async function ended(sfn: SFNClient, executionArn: string) {
  return until(async () => {
    const seen = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    return seen.status === 'RUNNING' ? undefined : seen;
  });
}

test('an execution is started, described and listed', async () => {
  const { sfn } = await client();
  const before = Date.now();
  const { executionArn, startDate } = await sfn.send(
    new StartExecutionCommand({ stateMachineArn: MACHINE, name: 'one', input: '{ "a": 1 }' }),
  );
  expect(executionArn).toBe('arn:aws:states:eu-west-1:123456789012:execution:Work:one');
  expect(startDate?.getTime()).toBeGreaterThanOrEqual(before - 1);
  expect(await ended(sfn, executionArn ?? '')).toMatchObject({
    executionArn,
    stateMachineArn: MACHINE,
    name: 'one',
    status: 'SUCCEEDED',
    input: '{ "a": 1 }',
    output: '{"a":1}',
    startDate,
    stopDate: expect.any(Date),
  });
  const { executions } = await sfn.send(
    new ListExecutionsCommand({ stateMachineArn: MACHINE, statusFilter: 'SUCCEEDED' }),
  );
  expect(executions?.map(({ name }) => name)).toEqual(['one']);
  const failed = await sfn.send(new ListExecutionsCommand({ stateMachineArn: MACHINE, statusFilter: 'FAILED' }));
  expect(failed.executions).toEqual([]);
});

test('executions are listed newest first, in pages that new executions do not shift', async () => {
  const { sfn } = await client(waiting);
  for (let n = 1; n <= 5; n++) await started(sfn, `n${n}`);
  const first = await sfn.send(new ListExecutionsCommand({ stateMachineArn: MACHINE, maxResults: 2 }));
  await started(sfn, 'n6');
  const rest = await sfn.send(new ListExecutionsCommand({ stateMachineArn: MACHINE, nextToken: first.nextToken }));
  const names = [...(first.executions ?? []), ...(rest.executions ?? [])].map(({ name }) => name);
  expect(names).toEqual(['n5', 'n4', 'n3', 'n2', 'n1']);
  expect(rest.nextToken).toBeUndefined();
});

test('the same name with the same input is the same execution while it runs', async () => {
  const { sfn, tokens } = await client(waiting);
  const start = (input: string) => sfn.send(new StartExecutionCommand({ stateMachineArn: MACHINE, name: 'v', input }));
  const [one, two] = await Promise.all([start('{"a":1}'), start('{ "a": 1 }')]);
  expect([two.executionArn, two.startDate]).toEqual([one.executionArn, one.startDate]);
  await expect(start('{"a":2}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
  const taskToken = await until(() => tokens[0]);
  await sfn.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }));
  await ended(sfn, one.executionArn ?? '');
  await expect(start('{"a":1}')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
  expect(tokens).toHaveLength(1);
});

test('without a name the execution has a UUID', async () => {
  const { sfn } = await client();
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn: MACHINE }));
  expect(executionArn).toMatch(/:execution:Work:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test.each([
  ['InvalidName', { name: 'a b' }],
  ['InvalidName', { name: 'a/b' }],
  ['InvalidName', { name: 'a\u0007' }],
  ['ValidationException', { name: 'a'.repeat(81) }],
  ['InvalidExecutionInput', { input: '{' }],
  ['ValidationException', { input: JSON.stringify('x'.repeat(262_143)) }],
  ['InvalidArn', { stateMachineArn: 'Work' }],
  ['StateMachineDoesNotExist', { stateMachineArn: `${MACHINE}s` }],
])('StartExecution is rejected with %s', async (name, input) => {
  const { sfn } = await client();
  const command = new StartExecutionCommand({ stateMachineArn: MACHINE, ...input });
  await expect(sfn.send(command)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
});

test('a waiting task accepts heartbeats, and a success or a failure', async () => {
  const { sfn, tokens } = await client(waiting);
  const good = await started(sfn, 'good');
  const taskToken = await until(() => tokens[0]);
  await sfn.send(new SendTaskHeartbeatCommand({ taskToken }));
  await sfn.send(new SendTaskSuccessCommand({ taskToken, output: '{"frames":1}' }));
  expect(await ended(sfn, good)).toMatchObject({ status: 'SUCCEEDED', output: '{"frames":1}' });

  const bad = await started(sfn, 'bad');
  const failing = await until(() => tokens[1]);
  await sfn.send(new SendTaskFailureCommand({ taskToken: failing, error: 'Job.Fatal', cause: 'no tracks' }));
  expect(await ended(sfn, bad)).toMatchObject({ status: 'FAILED', error: 'Job.Fatal', cause: 'no tracks' });
});

test('an invalid token and a token whose task has ended have different errors', async () => {
  const { sfn, tokens } = await client(waiting);
  const executionArn = await started(sfn, 'v');
  const taskToken = await until(() => tokens[0]);
  const invented = `${taskToken.slice(0, -1)}${taskToken.endsWith('A') ? 'B' : 'A'}`;
  for (const token of ['x', invented]) {
    const sent = sfn.send(new SendTaskSuccessCommand({ taskToken: token, output: '{}' }));
    await expect(sent).rejects.toMatchObject({ name: 'InvalidToken' });
  }
  const notJson = sfn.send(new SendTaskSuccessCommand({ taskToken, output: '{' }));
  await expect(notJson).rejects.toMatchObject({ name: 'InvalidOutput' });
  await sfn.send(new StopExecutionCommand({ executionArn }));
  for (const command of [new SendTaskFailureCommand({ taskToken }), new SendTaskHeartbeatCommand({ taskToken })]) {
    await expect(sfn.send(command as SendTaskFailureCommand)).rejects.toMatchObject({ name: 'TaskTimedOut' });
  }
});

test('an execution can be stopped once', async () => {
  const { sfn } = await client(waiting);
  const executionArn = await started(sfn, 'v');
  const { stopDate } = await sfn.send(new StopExecutionCommand({ executionArn, error: 'Gone', cause: 'deleted' }));
  const again = await sfn.send(new StopExecutionCommand({ executionArn, error: 'Other' }));
  expect(again.stopDate).toEqual(stopDate);
  const seen = await sfn.send(new DescribeExecutionCommand({ executionArn }));
  expect(seen).toMatchObject({ status: 'ABORTED', error: 'Gone', cause: 'deleted', stopDate });
});

test('errors for missing resources have the names of AWS', async () => {
  const { sfn } = await client();
  const executionArn = 'arn:aws:states:eu-west-1:123456789012:execution:Work:none';
  const mapRunArn = 'arn:aws:states:eu-west-1:123456789012:mapRun:Work/L:none';
  const wrong = { name: 'ExecutionDoesNotExist' };
  await expect(sfn.send(new DescribeExecutionCommand({ executionArn }))).rejects.toMatchObject(wrong);
  await expect(sfn.send(new StopExecutionCommand({ executionArn }))).rejects.toMatchObject(wrong);
  await expect(sfn.send(new GetExecutionHistoryCommand({ executionArn }))).rejects.toMatchObject(wrong);
  await expect(sfn.send(new ListMapRunsCommand({ executionArn }))).rejects.toMatchObject(wrong);
  await expect(sfn.send(new DescribeMapRunCommand({ mapRunArn }))).rejects.toMatchObject({ name: 'ResourceNotFound' });
  const neither = sfn.send(new ListExecutionsCommand({}));
  await expect(neither).rejects.toMatchObject({ name: 'ValidationException' });
  const token = sfn.send(new ListExecutionsCommand({ stateMachineArn: MACHINE, nextToken: 'x' }));
  await expect(token).rejects.toMatchObject({ name: 'InvalidToken' });
});

test('the history is paginated in either order, with or without data', async () => {
  const { sfn } = await client();
  const executionArn = await started(sfn, 'v', '{"a":1}');
  await ended(sfn, executionArn);
  const types = [];
  let nextToken: string | undefined;
  do {
    const page = await sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 3, nextToken }));
    types.push(...(page.events ?? []).map(({ id, previousEventId, type }) => `${previousEventId}>${id} ${type}`));
    nextToken = page.nextToken;
  } while (nextToken);
  expect(types).toEqual([
    '0>1 ExecutionStarted',
    '1>2 PassStateEntered',
    '2>3 PassStateExited',
    '3>4 ExecutionSucceeded',
  ]);
  const { events = [] } = await sfn.send(new GetExecutionHistoryCommand({ executionArn, reverseOrder: true }));
  expect(events.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
  expect(events[0]).toMatchObject({
    timestamp: expect.any(Date),
    executionSucceededEventDetails: { output: '{"a":1}' },
  });
  expect(events[1]?.stateExitedEventDetails).toMatchObject({
    name: 'P',
    output: '{"a":1}',
    assignedVariables: { n: '1' },
  });
  expect(events[3]?.executionStartedEventDetails).toMatchObject({ input: '{"a":1}' });
  const bare = await sfn.send(new GetExecutionHistoryCommand({ executionArn, includeExecutionData: false }));
  expect(bare.events?.at(-1)?.executionSucceededEventDetails).toEqual({});
});

test('the state machine is described, also with the definition of an execution', async () => {
  const { sfn } = await client();
  const executionArn = await started(sfn, 'v');
  const machine = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn: MACHINE }));
  expect(machine).toMatchObject({ name: 'Work', status: 'ACTIVE', type: 'STANDARD', creationDate: expect.any(Date) });
  const { stateMachines } = await sfn.send(new ListStateMachinesCommand({}));
  expect(stateMachines?.map(({ stateMachineArn }) => stateMachineArn)).toEqual([MACHINE]);
  const used = await sfn.send(new DescribeStateMachineForExecutionCommand({ executionArn }));
  expect(used).toMatchObject({ stateMachineArn: MACHINE, definition: machine.definition });
});

test('a map run and its child executions are described and listed', async () => {
  const { sfn } = await client(mapping);
  const executionArn = await started(sfn, 'v');
  await ended(sfn, executionArn);
  const { mapRuns = [] } = await sfn.send(new ListMapRunsCommand({ executionArn }));
  const mapRunArn = mapRuns[0]?.mapRunArn;
  expect(await sfn.send(new DescribeMapRunCommand({ mapRunArn }))).toMatchObject({
    status: 'SUCCEEDED',
    itemCounts: { total: 3, succeeded: 3 },
    executionCounts: { total: 3, succeeded: 3 },
    stopDate: expect.any(Date),
  });
  const first = await sfn.send(new ListExecutionsCommand({ mapRunArn, maxResults: 2 }));
  const rest = await sfn.send(new ListExecutionsCommand({ mapRunArn, nextToken: first.nextToken }));
  expect([first.executions?.length, rest.executions?.length]).toEqual([2, 1]);
  const child = rest.executions?.[0]?.executionArn;
  expect(await sfn.send(new DescribeExecutionCommand({ executionArn: child }))).toMatchObject({
    mapRunArn,
    input: '3',
  });
});

test.each([
  [{ 'x-amz-target': 'AWSStepFunctions.CreateActivity' }, '{}', 'UnknownOperationException'],
  [{}, '{}', 'com.amazon.coral.service#UnknownOperationException'],
  [{ 'x-amz-target': 'AWSStepFunctions.StartExecution' }, '{', 'SerializationException'],
  [{ 'x-amz-target': 'AWSStepFunctions.StartExecution' }, '[]', 'SerializationException'],
  [{ 'x-amz-target': 'AWSStepFunctions.StartExecution' }, '{"stateMachineArn":1}', 'ValidationException'],
  [{ 'x-amz-target': 'AWSStepFunctions.toString' }, '{}', 'UnknownOperationException'],
])('an invalid request is rejected: %o %s', async (headers, body, type) => {
  const { endpoint } = await client();
  const url = `${endpoint}/`;
  const signed = { url, headers: headers as Record<string, string>, body, service: 'states', region: 'eu-west-1' };
  const answer = await fetch(url, signRequest({ ...signed, credentials }));
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ __type: type, message: expect.any(String) });
});

test('a damaged journal answers 500 without its path, which the log has', async () => {
  const folder = await temporaryFolder();
  const { sfn } = await client(passing, folder);
  const executionArn = await started(sfn, 'damaged');
  await ended(sfn, executionArn);
  const [id = ''] = await until(async () => {
    const ids = await readdir(join(folder, 'finished'));
    return ids.length > 0 ? ids : undefined;
  });
  const journal = join(folder, 'finished', id, 'execution.jsonl');
  await writeFile(journal, (await readFile(journal, 'utf8')).replace('"damaged"', '"altered"'));
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const asked = sfn.send(new GetExecutionHistoryCommand({ executionArn }));
  await expect(asked).rejects.toMatchObject({
    name: 'InternalFailure',
    message: 'The request could not be processed.',
    $metadata: { httpStatusCode: 500 },
  });
  expect(String(warn.mock.calls[0]?.[0])).toBe(`DamagedData: ${journal} has a damaged line.`);
});
