import { type Functions, invoke, invokeAndWait, named } from './fixture.ts';

const payload = { Output: '{% $states.result.Payload %}' };

/** A definition with every type of state. Its results do not depend on the number of invocations. */
export const pipeline = {
  StartAt: 'Set',
  States: {
    Set: { Type: 'Pass', Assign: { items: '{% $states.input.items %}' }, Next: 'Side by side' },
    'Side by side': {
      Type: 'Parallel',
      Branches: [
        {
          StartAt: 'Flaky',
          States: {
            Flaky: invoke('flaky', {
              Arguments: { FunctionName: 'flaky', Payload: '{% $states.context.State.RetryCount %}' },
              Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxDelaySeconds: 1, JitterStrategy: 'FULL' }],
              ...payload,
              End: true,
            }),
          },
        },
        {
          StartAt: 'Moment',
          States: {
            Moment: { Type: 'Wait', Seconds: 0, Next: 'Job' },
            Job: invokeAndWait('enqueue', { HeartbeatSeconds: 60, End: true }),
          },
        },
      ],
      Arguments: { n: 7 },
      Assign: { sides: '{% $states.result %}' },
      Output: '{% $items %}',
      Next: 'Squares',
    },
    Squares: {
      Type: 'Map',
      MaxConcurrency: 2,
      ItemProcessor: {
        StartAt: 'Square',
        States: {
          Square: {
            Type: 'Pass',
            Assign: { square: '{% $states.input * $states.input %}', index: '{% $states.context.Map.Item.Index %}' },
            Next: 'Name',
          },
          Name: { Type: 'Pass', Output: "{% $index & ':' & $square %}", End: true },
        },
      },
      Assign: { squares: '{% $states.result %}' },
      Next: 'Encode',
    },
    Encode: {
      Type: 'Parallel',
      Branches: [
        {
          StartAt: 'Chunks',
          States: {
            Chunks: {
              Type: 'Map',
              Items: '{% $items %}',
              ItemSelector: { n: '{% $states.context.Map.Item.Value %}' },
              MaxConcurrency: 2,
              ToleratedFailureCount: 1,
              ItemProcessor: {
                ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
                StartAt: 'Which',
                States: {
                  Which: {
                    Type: 'Choice',
                    Choices: [{ Condition: '{% $states.input.n = 2 %}', Next: 'Not this' }],
                    Default: 'Encode chunk',
                  },
                  'Encode chunk': invokeAndWait('enqueue', { End: true }),
                  'Not this': { Type: 'Fail', Error: 'Unwanted', Cause: 'two' },
                },
              },
              Output: '{% $states.result.{"frames": frames, "error": Error} %}',
              End: true,
            },
          },
        },
        { StartAt: 'Nothing', States: { Nothing: { Type: 'Succeed' } } },
      ],
      Assign: { chunks: '{% $states.result[0] %}' },
      Next: 'Broken',
    },
    Broken: invoke('broken', {
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Done', Assign: { caught: '{% $states.errorOutput.Error %}' } }],
      Next: 'Done',
    }),
    Done: {
      Type: 'Succeed',
      Output: {
        sides: '{% $sides %}',
        squares: '{% $squares %}',
        chunks: '{% $chunks %}',
        caught: '{% $caught %}',
      },
    },
  },
};

export const pipelineFunctions: Functions = {
  flaky: (attempt: number) => {
    if (attempt === 0) throw named('Busy');
    return 'calm';
  },
  broken: () => {
    throw named('Broken');
  },
};

/** For the input `{ items: [1, 2, 3] }` and workers that return `{ frames: 10 n }`. */
export const expectedOutput = {
  sides: ['calm', { frames: 70 }],
  squares: ['0:1', '1:4', '2:9'],
  chunks: [{ frames: 10 }, { error: 'Unwanted' }, { frames: 30 }],
  caught: 'Broken',
};
