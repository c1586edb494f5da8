import type { DescribeMapRunOutput, ListExecutionsOutput, ListMapRunsOutput } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import type { StepFunctions } from '../../src/step-functions/step-functions.ts';
import {
  endOf,
  type Functions,
  historyOf,
  invoke,
  invokeAndWait,
  MACHINE,
  named,
  open,
  start,
  until,
} from './fixture.ts';

const READER = {
  Resource: 'arn:aws:states:::s3:getObject',
  ReaderConfig: { InputType: 'JSON' },
  Arguments: { Bucket: '{% $states.input.bucket %}', Key: 'chunks.json' },
};
const WRITER = { Resource: 'arn:aws:states:::s3:putObject', Arguments: { Bucket: 'b', Prefix: 'results' } };

function mapOf(
  more: object,
  flow: object = { StartAt: 'F', States: { F: invoke('f', { Output: '{% $states.result.Payload %}', End: true }) } },
) {
  const ItemProcessor = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' }, ...flow };
  return { StartAt: 'Each chunk', States: { 'Each chunk': { Type: 'Map', ItemProcessor, End: true, ...more } } };
}

/** An object store in memory, by bucket and key. */
function objects(initial: Record<string, string> = {}) {
  const kept = new Map(Object.entries(initial));
  return {
    kept,
    readObject: async (bucket: string, key: string) => {
      const body = kept.get(`${bucket}/${key}`);
      if (body === undefined) throw new Error(`no object ${bucket}/${key}`);
      return Buffer.from(body);
    },
    writeObject: async (bucket: string, key: string, body: string) => void kept.set(`${bucket}/${key}`, body),
    listObjects: async (_bucket: string, prefix: string) => [{ Key: `${prefix}a`, Size: 3 }],
  };
}

async function mapRunOf(states: StepFunctions, executionArn: string) {
  const { mapRuns = [] } = (await states.call('ListMapRuns', { executionArn })) as ListMapRunsOutput;
  const mapRunArn = mapRuns[0]?.mapRunArn ?? '';
  const described = (await states.call('DescribeMapRun', { mapRunArn })) as DescribeMapRunOutput;
  const { executions } = (await states.call('ListExecutions', { mapRunArn })) as ListExecutionsOutput;
  return { ...described, executions: executions ?? [] };
}

const double: Functions = { f: (n: number) => n * 2 };

test('each item of an object in S3 is a child execution', async () => {
  const states = await open({
    definition: mapOf({ ItemReader: READER, Label: 'Chunks', MaxConcurrency: 2 }),
    functions: double,
    ...objects({ 'b/chunks.json': '[1,2,3]' }),
  });
  const arn = await start(states, { bucket: 'b' });
  expect(await endOf(states, arn)).toEqual({ status: 'SUCCEEDED', output: [2, 4, 6] });

  const mapRun = await mapRunOf(states, arn);
  expect(mapRun).toMatchObject({
    mapRunArn: expect.stringMatching(/^arn:aws:states:eu-west-1:123456789012:mapRun:Work\/Chunks:[0-9a-f-]{36}$/),
    executionArn: arn,
    status: 'SUCCEEDED',
    maxConcurrency: 2,
    itemCounts: { total: 3, succeeded: 3, failed: 0, running: 0, pending: 0 },
  });
  expect(mapRun.executions.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  const child = mapRun.executions[1]?.executionArn ?? '';
  expect(await states.call('DescribeExecution', { executionArn: child })).toMatchObject({
    mapRunArn: mapRun.mapRunArn,
    stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:Work/Chunks',
    input: '2',
    output: '4',
  });
  expect((await historyOf(states, child)).map(({ type }) => type)).toEqual([
    'ExecutionStarted',
    'TaskStateEntered',
    'TaskScheduled',
    'TaskStarted',
    'TaskSucceeded',
    'TaskStateExited',
    'ExecutionSucceeded',
  ]);
  expect((await historyOf(states, arn)).map(({ type }) => type)).toEqual([
    'ExecutionStarted',
    'MapStateEntered',
    'MapStateStarted',
    'MapRunStarted',
    'MapRunSucceeded',
    'MapStateSucceeded',
    'MapStateExited',
    'ExecutionSucceeded',
  ]);
});

test('items come from JSON lines, from a list of objects or from a pointer into a file, up to MaxItems', async () => {
  const read = async (ItemReader: object) => {
    const states = await open({
      definition: mapOf({ ItemReader }, { StartAt: 'P', States: { P: { Type: 'Pass', End: true } } }),
      ...objects({ 'b/lines': '{"a":1}\n{"a":2}\n', 'b/deep': '{"x":{"y":[7,8,9]}}' }),
    });
    return (await endOf(states, await start(states, {}))).output;
  };
  const from = (Key: string, ReaderConfig: object) => ({ ...READER, ReaderConfig, Arguments: { Bucket: 'b', Key } });
  expect(await read(from('lines', { InputType: 'JSONL' }))).toEqual([{ a: 1 }, { a: 2 }]);
  expect(await read(from('deep', { InputType: 'JSON', ItemsPointer: '/x/y', MaxItems: 2 }))).toEqual([7, 8]);
  const listing = { Resource: 'arn:aws:states:::s3:listObjectsV2', Arguments: { Bucket: 'b', Prefix: 'p/' } };
  expect(await read(listing)).toEqual([{ Key: 'p/a', Size: 3 }]);
});

test('an object that cannot be read is States.ItemReaderFailed', async () => {
  const states = await open({ definition: mapOf({ ItemReader: READER }), ...objects() });
  const end = await endOf(states, await start(states, { bucket: 'b' }));
  expect(end).toEqual({ status: 'FAILED', error: 'States.ItemReaderFailed', cause: 'no object b/chunks.json' });
});

test('ItemSelector and ItemBatcher determine the inputs; the context of a child execution has its item', async () => {
  const show = {
    StartAt: 'P',
    States: { P: { Type: 'Pass', Output: '{% [$states.input, $states.context.Map.Item.Index] %}', End: true } },
  };
  const definition = mapOf(
    {
      Items: [1, 2, 3],
      ItemSelector: { n: '{% $states.context.Map.Item.Value %}', of: '{% $count($states.input.all) %}' },
      ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { shared: '{% $states.input.all[0] %}' } },
    },
    show,
  );
  const states = await open({ definition });
  const of = 2;
  const BatchInput = { shared: 'x' };
  expect((await endOf(states, await start(states, { all: ['x', 'y'] }))).output).toEqual([
    [
      {
        BatchInput,
        Items: [
          { n: 1, of },
          { n: 2, of },
        ],
      },
      0,
    ],
    [{ BatchInput, Items: [{ n: 3, of }] }, 1],
  ]);
});

const oddFails: Functions = {
  f: (n: number) => {
    if (n % 2 === 1) throw named('Odd', String(n));
    return n;
  },
};

test('without a tolerance one failed child execution fails the map run, and the running ones are aborted', async () => {
  const flow = { StartAt: 'W', States: { W: invokeAndWait('enqueue', { End: true }) } };
  const tokens: string[] = [];
  const states = await open({
    definition: mapOf({ Items: [1, 2, 3] }, flow),
    functions: { enqueue: ({ token }: { token: string }) => void tokens.push(token) },
  });
  const arn = await start(states);
  await until(() => tokens.length === 3);
  await states.call('SendTaskFailure', { taskToken: tokens[0], error: 'Broken' });
  const end = await endOf(states, arn);
  expect(end).toMatchObject({ status: 'FAILED', error: 'States.ExceedToleratedFailureThreshold' });
  const { status, itemCounts, executions } = await mapRunOf(states, arn);
  expect([status, itemCounts?.failed, itemCounts?.aborted]).toEqual(['FAILED', 1, 2]);
  expect(executions.map((child) => child.status).sort()).toEqual(['ABORTED', 'ABORTED', 'FAILED']);
  const late = states.call('SendTaskSuccess', { taskToken: tokens[1], output: '1' });
  await expect(late).rejects.toMatchObject({ name: 'TaskTimedOut' });
});

test.each([
  [{ ToleratedFailurePercentage: 50 }, 'SUCCEEDED'],
  [{ ToleratedFailurePercentage: 49 }, 'FAILED'],
  [{ ToleratedFailureCount: '{% 2 %}' }, 'SUCCEEDED'],
  [{ ToleratedFailureCount: 1 }, 'FAILED'],
])('two failures of four with %o: %s', async (tolerance, status) => {
  const states = await open({ definition: mapOf({ Items: [1, 2, 3, 4], ...tolerance }), functions: oddFails });
  expect(await endOf(states, await start(states))).toMatchObject({ status });
});

test('ResultWriter writes the results to S3, and the result of the state is the manifest', async () => {
  const store = objects();
  const states = await open({
    definition: mapOf({ Items: [1, 2], ToleratedFailureCount: 1, ResultWriter: WRITER }),
    functions: oddFails,
    ...store,
  });
  const arn = await start(states);
  const { output } = await endOf(states, arn);
  const { mapRunArn } = await mapRunOf(states, arn);
  const folder = `results/${mapRunArn?.split(':').at(-1)}`;
  expect(output).toEqual({
    MapRunArn: mapRunArn,
    ResultWriterDetails: { Bucket: 'b', Key: `${folder}/manifest.json` },
  });
  const manifest = JSON.parse(store.kept.get(`b/${folder}/manifest.json`) ?? '');
  expect(manifest).toMatchObject({
    DestinationBucket: 'b',
    ResultFiles: {
      FAILED: [{ Key: `${folder}/FAILED_0.json` }],
      PENDING: [],
      SUCCEEDED: [{ Key: `${folder}/SUCCEEDED_0.json` }],
    },
  });
  const [succeeded] = JSON.parse(store.kept.get(`b/${folder}/SUCCEEDED_0.json`) ?? '');
  expect(succeeded).toMatchObject({ Input: '2', Output: '2', Status: 'SUCCEEDED' });
  const [failed] = JSON.parse(store.kept.get(`b/${folder}/FAILED_0.json`) ?? '');
  expect(failed).toMatchObject({ Input: '1', Error: 'Odd', Status: 'FAILED' });
});

test('a result over 256 KiB without a ResultWriter is rejected', async () => {
  const states = await open({ definition: mapOf({ Items: [1, 2, 3] }), functions: { f: () => 'x'.repeat(100_000) } });
  expect(await endOf(states, await start(states))).toMatchObject({ error: 'States.DataLimitExceeded' });
});

test('stopping the execution aborts its map run and the child executions', async () => {
  const flow = { StartAt: 'W', States: { W: invokeAndWait('enqueue', { End: true }) } };
  const tokens: string[] = [];
  const states = await open({
    definition: mapOf({ Items: [1, 2, 3], MaxConcurrency: 2 }, flow),
    functions: { enqueue: ({ token }: { token: string }) => void tokens.push(token) },
  });
  const arn = await start(states);
  await until(() => tokens.length === 2);
  await states.call('StopExecution', { executionArn: arn, error: 'Job.Cancelled', cause: 'by its owner' });
  expect(await endOf(states, arn)).toEqual({ status: 'ABORTED', error: 'Job.Cancelled', cause: 'by its owner' });
  await until(async () => (await mapRunOf(states, arn)).status === 'ABORTED');
  const { itemCounts, executions } = await mapRunOf(states, arn);
  expect(itemCounts).toMatchObject({ total: 3, aborted: 2, pending: 1, running: 0 });
  expect(executions.map(({ status }) => status)).toEqual(['ABORTED', 'ABORTED']);
  const late = states.call('SendTaskSuccess', { taskToken: tokens[0], output: '1' });
  await expect(late).rejects.toMatchObject({ name: 'TaskTimedOut' });
});

test('a map run needs the permission of its state machine to start executions of itself', async () => {
  const asked: string[] = [];
  const states = await open({
    definition: mapOf({ Items: '{% $states.input.items %}' }),
    functions: double,
    authorizeMapRun(machineArn) {
      asked.push(machineArn);
      throw new Error('not authorized to perform: states:StartExecution');
    },
  });
  const { status, error, cause } = await endOf(states, await start(states, { items: [1] }));
  expect({ status, error, cause }).toEqual({
    status: 'FAILED',
    error: 'StepFunctions.AccessDeniedException',
    cause: 'not authorized to perform: states:StartExecution',
  });
  expect(asked).toEqual([MACHINE]);
});

test('each child execution is billed for its start and its states, and a retry as another transition', async () => {
  const billed: string[] = [];
  let isFirst = true;
  const states = await open({
    definition: mapOf(
      { Items: '{% [1, 2] %}' },
      {
        StartAt: 'F',
        States: { F: invoke('f', { Retry: [{ ErrorEquals: ['Once'], IntervalSeconds: 1 }], End: true }) },
      },
    ),
    functions: {
      f() {
        if (!isFirst) return {};
        isFirst = false;
        throw named('Once');
      },
    },
    meter: (what, amount, source) => billed.push(`${what} ${amount} ${source}`),
  });
  await endOf(states, await start(states));
  const transitions = (source: string) => billed.filter((one) => one === `state transitions 1 ${source}`).length;
  expect(billed).toHaveLength(6);
  expect(['Each chunk', 'start of a child execution', 'F', 'retry of F'].map(transitions)).toEqual([1, 2, 2, 1]);
});
