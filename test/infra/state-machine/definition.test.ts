import validate from 'asl-validator';
import { type Retrier, retryDelaySeconds } from 'embedded-aws/testing';
import jsonata from 'jsonata';
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../../infra/settings.ts';
import { pipelineDefinition } from '../../../infra/state-machine/definition.ts';
import { pipelineFunctions } from '../../../infra/state-machine/pipeline-functions.ts';
import type { State } from '../../../infra/state-machine/task-states.ts';
import type { ListedChunk, PlanResult } from '../../../shared/protocol/plan-result.ts';

const arns = Object.fromEntries(
  pipelineFunctions.map((name) => [name, `arn:aws:lambda:eu-west-1:123456789012:function:${name}`]),
) as Parameters<typeof pipelineDefinition>[0]['arns'];
// Step Functions receives JSON.
const definition: Scope = JSON.parse(
  JSON.stringify(pipelineDefinition({ ...settingsOf('dev'), partition: 'aws', arns })),
);

type Scope = { StartAt: string; States: Record<string, State> };
type Found = { name: string; state: State };

const statesOf = (scope: Scope): Found[] =>
  Object.entries(scope.States).flatMap(([name, state]) => [
    { name, state },
    ...((state.Branches ?? []) as Scope[]).flatMap(statesOf),
    ...(state.ItemProcessor ? statesOf(state.ItemProcessor as Scope) : []),
  ]);
const all = statesOf(definition);
const stateNamed = (name: string): State => all.find((found) => found.name === name)!.state;

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};
const evaluate = (text: unknown, bindings: Record<string, unknown>): Promise<unknown> =>
  jsonata(/^\{%(.*)%\}$/s.exec(String(text))![1]!).evaluate({}, bindings);

const called = ({ Arguments }: State): string | undefined =>
  (Arguments as { FunctionName?: string } | undefined)?.FunctionName?.split(':').at(-1);
const jobs = all.filter(({ state }) => String(state.Resource).endsWith('.waitForTaskToken'));
const calls = all.filter(({ state }) => String(state.Resource).endsWith(':lambda:invoke'));

describe('the definition', () => {
  test('is valid Amazon States Language', () => {
    const { isValid, errorsText } = validate(definition);
    expect(isValid, errorsText('\n')).toBe(true);
  });

  test('has unique state names and a comment for each state', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { name, state } of all) expect(state.Comment, name).toMatch(/^[A-Z].*[.?]$/);
  });

  test('has valid JSONata expressions', () => {
    for (const text of stringsIn(definition)) {
      const source = /^\{%(.*)%\}$/s.exec(text)?.[1];
      if (source) expect(() => jsonata(source), text).not.toThrow();
      else expect(text).not.toContain('{%');
    }
  });

  test('calls every function of the pipeline', () => {
    expect([...new Set(all.flatMap(({ state }) => called(state) ?? []))].toSorted()).toEqual(
      [...pipelineFunctions].toSorted(),
    );
  });
});

describe('worker jobs', () => {
  const retriersOf = (state: State) => state.Retry as { ErrorEquals: string[]; MaxAttempts: number }[];
  const attempts = (state: State, error: string): number =>
    retriersOf(state).find(({ ErrorEquals }) => ErrorEquals.includes(error))?.MaxAttempts ?? 0;

  test('are probe, chunks, measurement, audio, thumbnails, remux and text, each with a task token and a timeout', () => {
    expect(jobs.map(({ name }) => name)).toEqual([
      'Probe',
      'EncodeChunk',
      'EncodeChunkFirst',
      'MeasureQuality',
      'EncodeChunkWaiting',
      'EncodeTrack',
      'MakeThumbnails',
      'RemuxPart',
      'ExtractText',
    ]);
    for (const { state } of jobs) {
      expect(called(state)).toBe('enqueue');
      expect(state.TimeoutSeconds).toBe(24 * 3600);
      expect(state.Arguments).toMatchObject({ Payload: { taskToken: '{% $states.context.Task.Token %}' } });
    }
  });

  test.each(jobs.map(({ name, state }) => [name, state] as const))(
    '%s is tried again by the name of its error',
    (_, state) => {
      expect(attempts(state, 'Worker.Lost')).toBe(10);
      expect(attempts(state, 'Job.Transient')).toBe(3);
      expect(attempts(state, 'States.Timeout')).toBe(2);
      for (const final of ['Job.Fatal', 'Job.Cancelled', 'States.ALL']) {
        expect(attempts(state, final), final).toBe(0);
      }
    },
  );

  test('and functions are retried after an unknown error, but not after a final one', () => {
    for (const { name, state } of [...jobs, ...calls]) {
      const named = retriersOf(state).map(({ ErrorEquals }) => ErrorEquals);
      const unforeseen = named.findIndex((errors) => errors.includes('States.TaskFailed'));
      expect(unforeseen, name).toBe(named.length - 1);
      expect(attempts(state, 'States.TaskFailed'), name).toBe(6);
      expect(
        named.findIndex((errors) => errors.includes('Job.Fatal')),
        name,
      ).toBeLessThan(unforeseen);
    }
  });

  test('are retried at once after a lost worker, and with backoff and jitter after a throttled store', () => {
    const [lost, transient] = retriersOf(stateNamed('Probe'));
    expect(lost).toMatchObject({ IntervalSeconds: 1, BackoffRate: 1 });
    expect(transient).toMatchObject({ IntervalSeconds: 5, BackoffRate: 2, JitterStrategy: 'FULL' });
  });

  test('and functions wait for minutes until the account has concurrency left', () => {
    for (const { name, state } of [...jobs, ...calls]) {
      const retrier = (state.Retry as Retrier[]).find((one) =>
        one.ErrorEquals.includes('Lambda.TooManyRequestsException'),
      )!;
      const delays = Array.from({ length: retrier.MaxAttempts! }, (_, index) =>
        retryDelaySeconds(retrier, index + 1, 0.5),
      );
      const averageSeconds = delays.reduce((sum, seconds) => sum + seconds, 0);
      expect(averageSeconds, name).toBeGreaterThan(5 * 60);
      expect(averageSeconds, name).toBeLessThan(15 * 60);
    }
  });

  test('and functions are retried when Lambda or the table throttles', () => {
    for (const { name, state } of [...jobs, ...calls]) {
      expect(attempts(state, 'Lambda.ServiceException'), name).toBe(6);
      expect(attempts(state, 'ThrottlingException'), name).toBe(6);
    }
  });
});

describe('failures', () => {
  const catcher = (name: string) =>
    (stateNamed(name).Catch as { ErrorEquals: string[]; Next: string }[] | undefined)?.[0];

  test.each([
    ['EncodeChunk', 'FailStreams'],
    ['EncodeChunkFirst', 'FailStreamsFirst'],
    ['EncodeChunkWaiting', 'FailStreamsWaiting'],
    ['MeasureQuality', 'DecideQuality'],
    ['DecideQuality', 'EncodeWaiting'],
    ['EncodeTrack', 'FailTrack'],
    ['MakeThumbnails', 'NoThumbnails'],
    ['RemuxOutput', 'FailOutput'],
    ['PackageOutput', 'FailOutput'],
    ['ProcessVideo', 'FailVideo'],
    ['ExtractText', 'AddCaptions'],
    ['AddCaptions', 'CaptionsNotAdded'],
  ])('of %s end in %s', (from, to) => {
    expect(catcher(from)).toMatchObject({ ErrorEquals: ['States.ALL'], Next: to });
  });

  test('of all other states are caught once', () => {
    expect(all.filter(({ state }) => state.Catch).map(({ name }) => name)).toHaveLength(12);
  });

  test('of the text tracks never fail the video, and its publication does not wait for them', () => {
    const { Branches } = stateNamed('MakeFiles') as unknown as { Branches: Scope[] };
    const namesOf = (scope: Scope) => statesOf(scope).map(({ name }) => name);
    const [outputs, captions] = Branches.map(namesOf);
    expect(outputs).toContain('Publish');
    expect(captions).toEqual(['HasText', 'ExtractText', 'AddCaptions', 'CaptionsNotAdded', 'NoText']);
    expect(Branches[1]!.States.CaptionsNotAdded).toMatchObject({ Type: 'Pass', End: true });
  });

  test('of the measurement never fail the video: the waiting chunks are encoded with defaults', () => {
    const { Branches } = stateNamed('EncodeMeasured') as unknown as { Branches: Scope[] };
    const [first, measured] = Branches.map(({ StartAt, States }) => ({ StartAt, names: Object.keys(States) }));
    expect(first).toEqual({ StartAt: 'HasFirstChunks', names: ['HasFirstChunks', 'EncodeFirst', 'NoFirstChunks'] });
    expect(measured).toEqual({
      StartAt: 'MeasureQuality',
      names: ['MeasureQuality', 'DecideQuality', 'EncodeWaiting'],
    });
  });

  test('keep the input of the failed state and add the error', async () => {
    const [{ Output }] = stateNamed('EncodeChunk').Catch as [{ Output: string }];
    const states = { input: { videoUlid: 'V', index: 7 }, errorOutput: { Error: 'Job.Fatal', Cause: 'x' } };
    expect(await evaluate(Output, { states })).toEqual({
      videoUlid: 'V',
      index: 7,
      error: { Error: 'Job.Fatal', Cause: 'x' },
    });
  });

  test('have a cause in the console, even if it is empty', async () => {
    const { Error: name, Cause } = stateNamed('VideoFailed');
    const ended = { states: { input: { status: 'failed', error: 'INPUT_NO_TRACKS', cause: 'It has no tracks.' } } };
    expect([await evaluate(name, ended), await evaluate(Cause, ended)]).toEqual([
      'INPUT_NO_TRACKS',
      'It has no tracks.',
    ]);
    const silent = { states: { input: { status: 'failed' } } };
    expect([await evaluate(name, silent), await evaluate(Cause, silent)]).toEqual([
      'Video.Failed',
      'Every output failed.',
    ]);
    expect(await evaluate(stateNamed('Failed').Cause, { states: { input: { error: { Error: 'X' } } } })).toBe('');
  });
});

describe('the check for duplicate events', () => {
  test('continues only the execution that owns the video', async () => {
    const [{ Condition, Next }] = stateNamed('IsNew').Choices as [{ Condition: string; Next: string }];
    expect(Next).toBe('ProcessVideo');
    expect(stateNamed('IsNew').Default).toBe('IsQueued');
    expect(stateNamed('IsQueued')).toMatchObject({ Choices: [{ Next: 'Queued' }], Default: 'AlreadyCreated' });
    for (const [decision, goesOn] of [
      ['process', true],
      ['already-created', false],
      ['ignored', false],
    ]) {
      expect(await evaluate(Condition, { states: { input: { decision } } })).toBe(goesOn);
    }
  });

  test('ends an execution whose event has no video', async () => {
    const { videoUlid } = stateNamed('CreateVideo').Assign as { videoUlid: string };
    expect(await evaluate(videoUlid, { states: { result: { Payload: { decision: 'ignored' } } } })).toBeNull();
    expect(await evaluate(videoUlid, { states: { result: { Payload: { videoUlid: 'V' } } } })).toBe('V');
  });
});

describe('the maps', () => {
  test.each([
    ['EncodeAudio', 'audio'],
    ['PackageOutputs', 'outputs'],
  ])('%s take zero, one and many items, although JSONata unwraps arrays of one', async (map, list) => {
    const { Items } = stateNamed(map);
    for (const items of [[], [{ index: 0 }], [{ index: 0 }, { index: 1 }]]) {
      expect(await evaluate(Items, { plan: { [list]: items } })).toEqual(items);
    }
  });

  test.each([
    ['EncodeVideo', 'chunks'],
    ['EncodeFirst', 'chunks'],
    ['EncodeWaiting', 'waitingChunks'],
  ])('%s run as child executions that receive all variables as input', (name, list) => {
    const map = stateNamed(name);
    expect(stringsIn(map.ItemReader)).toContain(`{% $plan.${list}.key %}`);
    expect(map).toMatchObject({
      MaxConcurrency: 2000,
      ItemReader: { Resource: 'arn:aws:states:::s3:getObject', ReaderConfig: { InputType: 'JSON' } },
      ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } },
    });
    const given = Object.keys(map.ItemSelector as object);
    const inner = stringsIn(map.ItemProcessor).join('\n');
    expect([...new Set(inner.matchAll(/\$states\.input\.(\w+)/g).map(([, name]) => name))].toSorted()).toEqual(
      [...given, 'error'].toSorted(),
    );
    expect(inner).not.toMatch(/\$(videoUlid|run|plan)\b/);
  });

  test('return no output, so that ten thousand chunks stay below the size limit', () => {
    for (const name of ['EncodeVideo', 'EncodeChunk', 'FailStreams', 'EncodeAudio', 'PackageOutputs', 'Encode']) {
      expect(stateNamed(name).Output, name).toEqual({});
    }
  });
});

const chunk = { group: 0, index: 1 } satisfies Required<ListedChunk>;
const list = { bucket: 'store', key: 'chunks.json', count: 1 };
const planResult = {
  chunks: list,
  waitingChunks: { ...list, key: 'waiting.json' },
  isMeasured: true,
  audio: [{ index: 0 }],
  thumbnails: true,
  captions: true,
  outputs: [{ outputUlid: '01A', remux: true, parts: [chunk] }],
} satisfies Required<PlanResult>;

/** The paths that expressions of the definition read of a variable, such as `chunks.count`. */
const readOf = (variable: string): string[] => [
  ...new Set(
    [...JSON.stringify(definition).matchAll(new RegExp(`\\$${variable}\\.([\\w.]+)`, 'g'))].map(([, path]) => path!),
  ),
];

/** The paths of a value down to what is not an object; lists are read as a whole. */
const pathsOf = (value: object): string[] =>
  Object.entries(value).flatMap(([key, one]) =>
    typeof one === 'object' && !Array.isArray(one) ? pathsOf(one).map((path) => `${key}.${path}`) : [key],
  );

test('the states read of the plan what the function returns, and all of it', async () => {
  const read = readOf('plan');
  for (const path of read) expect(await jsonata(path).evaluate(planResult), path).toBeDefined();
  expect(read.toSorted()).toEqual(pathsOf(planResult).toSorted());
});

test('the maps over lists of chunks read what a list has', async () => {
  expect(readOf('states.context.Map.Item.Value').toSorted()).toEqual(pathsOf(chunk));
});

/** What the states of a map read of its item, apart from those of maps within it. */
function readOfItem({ ItemProcessor }: State): string[] {
  const text = JSON.stringify(ItemProcessor, (key, value) =>
    key === 'ItemProcessor' && value !== ItemProcessor ? undefined : value,
  );
  const keys = [...text.matchAll(/\$states\.input\.(\w+)/g)].map(([, key]) => key!);
  // A state that catches an error adds it to its input.
  return [...new Set(keys)].filter((key) => key !== 'error').toSorted();
}

test.each([
  ['[$plan.audio]', planResult.audio[0]!],
  ['[$plan.outputs]', planResult.outputs[0]!],
  ['[$states.input.parts]', chunk],
])('the map over %s reads what an item has, and all of it', (items, item) => {
  const maps = all.filter(({ state }) => state.Items === `{% ${items} %}`);
  expect(maps.map(({ state }) => readOfItem(state))).toEqual([Object.keys(item).toSorted()]);
});
