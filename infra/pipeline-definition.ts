import { functionRetries, jobRetries } from './retries.ts';

/** A state in the Amazon States Language. */
type State = { Type: string; Comment: string; [field: string]: unknown };
type States = Record<string, State>;

export type PipelineFunction = (typeof pipelineFunctions)[number];
export const pipelineFunctions = [
  'create-video',
  'enqueue',
  'plan',
  'start-packaging',
  'package-output',
  'publish',
  'fail-streams',
  'fail-output',
  'fail',
] as const;

export type DefinitionInput = {
  /** `aws`, or what other partitions are called */
  partition: string;
  arns: Record<PipelineFunction, string>;
  jobTimeoutSeconds: number;
  executionTimeoutSeconds: number;
  maxChunksAtOnce: number;
};

/**
 * The state machine in the Amazon States Language, with JSONata. State names are the words that an operator uses: the console shows them as they
 * stand here. A worker job is a call of `enqueue` that ends when the job's task token is answered.
 */
export function pipelineDefinition(input: DefinitionInput) {
  const { callFunction, runJob } = tasks(input);

  const encodeVideo = {
    HasVideo: choice('Audio alone has no chunks.', '{% $plan.chunks.count > 0 %}', 'EncodeVideo', 'NoVideo'),
    EncodeVideo: {
      Type: 'Map',
      Comment:
        'Each chunk with all its rungs. Child executions: an inline map stops at 40 at a time and 25,000 events.',
      Label: 'EncodeVideo',
      ItemReader: {
        Resource: `arn:${input.partition}:states:::s3:getObject`,
        ReaderConfig: { InputType: 'JSON' },
        Arguments: { Bucket: '{% $plan.chunks.bucket %}', Key: '{% $plan.chunks.key %}' },
      },
      // Child executions see no variables of their parent.
      ItemSelector: {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
        index: '{% $states.context.Map.Item.Value.index %}',
        group: '{% $states.context.Map.Item.Value.group %}',
      },
      MaxConcurrency: input.maxChunksAtOnce,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        StartAt: 'EncodeChunk',
        States: {
          EncodeChunk: {
            ...runJob('Encodes one chunk.', {
              videoUlid: '{% $states.input.videoUlid %}',
              run: '{% $states.input.run %}',
              kind: 'encode-video',
              index: '{% $states.input.index %}',
              group: '{% $states.input.group %}',
            }),
            Catch: catchAll('FailStreams'),
            End: true,
          },
          FailStreams: {
            ...callFunction(
              'fail-streams',
              'A chunk is lost, and with it the streams of its group; the video goes on with the others.',
              {
                videoUlid: '{% $states.input.videoUlid %}',
                run: '{% $states.input.run %}',
                kind: 'encode-video',
                group: '{% $states.input.group %}',
                error: '{% $states.input.error %}',
              },
            ),
            Output: {},
            End: true,
          },
        },
      },
      Output: {},
      End: true,
    },
    NoVideo: succeed('The source has no video.'),
  } satisfies States;

  const encodeAudio = {
    EncodeAudio: {
      Type: 'Map',
      Comment: 'Each audio track, whole: audio that is cut drifts and clicks.',
      Items: '{% [$plan.audio] %}',
      ItemProcessor: {
        ProcessorConfig: { Mode: 'INLINE' },
        StartAt: 'EncodeTrack',
        States: {
          EncodeTrack: {
            ...runJob('Encodes one audio track.', {
              videoUlid: '{% $videoUlid %}',
              run: '{% $run %}',
              kind: 'encode-audio',
              index: '{% $states.input.index %}',
            }),
            Catch: catchAll('FailTrack'),
            End: true,
          },
          FailTrack: {
            ...callFunction('fail-streams', 'The track is lost; the video goes on without it.', {
              videoUlid: '{% $videoUlid %}',
              run: '{% $run %}',
              kind: 'encode-audio',
              index: '{% $states.input.index %}',
              error: '{% $states.input.error %}',
            }),
            Output: {},
            End: true,
          },
        },
      },
      Output: {},
      End: true,
    },
  } satisfies States;

  const makeThumbnails = {
    WantsThumbnails: choice(
      'Only a template that asks for them has any.',
      '{% $plan.thumbnails %}',
      'MakeThumbnails',
      'NoThumbnails',
    ),
    MakeThumbnails: {
      ...runJob('Poster and sprites.', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
        kind: 'thumbnails',
        index: 0,
      }),
      Catch: catchAll('NoThumbnails'),
      End: true,
    },
    NoThumbnails: { Type: 'Pass', Comment: 'A video plays without them.', Output: {}, End: true },
  } satisfies States;

  const packageOutput = {
    NeedsRemux: choice(
      'MP4 and MPEG-TS are other bytes than what was encoded; HLS and DASH are manifests over the same.',
      '{% $states.input.remux %}',
      'RemuxOutput',
      'PackageOutput',
    ),
    RemuxOutput: {
      ...runJob('Copies finished tracks into the output container.', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
        kind: 'package',
        index: '{% $states.input.index %}',
      }),
      Output: '{% $states.input %}',
      Catch: catchAll('FailOutput'),
      Next: 'PackageOutput',
    },
    PackageOutput: {
      ...callFunction('package-output', 'Writes the manifests and checks that every file is there.', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
        outputUlid: '{% $states.input.outputUlid %}',
      }),
      Output: {},
      Catch: catchAll('FailOutput'),
      End: true,
    },
    FailOutput: {
      ...callFunction('fail-output', 'An output fails alone.', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
        outputUlid: '{% $states.input.outputUlid %}',
        error: '{% $states.input.error %}',
      }),
      Output: {},
      End: true,
    },
  } satisfies States;

  const processVideo = {
    Probe: {
      ...runJob('What is in the file, and where its key frames are.', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
        kind: 'probe',
        index: 0,
      }),
      Next: 'Plan',
    },
    Plan: {
      ...callFunction('plan', 'Cuts the source into chunks and says what each output is made of.', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
      }),
      Assign: { plan: '{% $states.result.Payload %}' },
      Output: {},
      Next: 'Encode',
    },
    Encode: {
      Type: 'Parallel',
      Comment: 'Video, audio and thumbnails need nothing of each other.',
      Branches: [
        { StartAt: 'HasVideo', States: encodeVideo },
        { StartAt: 'EncodeAudio', States: encodeAudio },
        { StartAt: 'WantsThumbnails', States: makeThumbnails },
      ],
      Output: {},
      Next: 'StartPackaging',
    },
    StartPackaging: {
      ...callFunction('start-packaging', 'All chunks are done or given up: what is left to package?', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
      }),
      Output: { decision: '{% $states.result.Payload.decision %}' },
      Next: 'IsAnythingLeft',
    },
    IsAnythingLeft: choice(
      'No output can be made of streams that all failed.',
      "{% $states.input.decision = 'package' %}",
      'PackageOutputs',
      'Publish',
    ),
    PackageOutputs: {
      Type: 'Map',
      Comment: 'Each output of the template.',
      Items: '{% [$plan.outputs] %}',
      ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, StartAt: 'NeedsRemux', States: packageOutput },
      Output: {},
      Next: 'Publish',
    },
    Publish: {
      ...callFunction('publish', 'Decides how the video ended, and says so in the same write that shows it.', {
        videoUlid: '{% $videoUlid %}',
        run: '{% $run %}',
      }),
      Output: '{% $states.result.Payload %}',
      End: true,
    },
  } satisfies States;

  return {
    Comment: 'From an uploaded file to a video that plays.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: input.executionTimeoutSeconds,
    StartAt: 'CreateVideo',
    States: {
      CreateVideo: {
        ...callFunction('create-video', 'Takes the upload, once: store events come more than once and in any order.', {
          event: '{% $states.input %}',
          executionArn: '{% $states.context.Execution.Id %}',
          executionName: '{% $states.context.Execution.Name %}',
        }),
        Assign: {
          // An ignored event has no video.
          videoUlid: '{% $exists($states.result.Payload.videoUlid) ? $states.result.Payload.videoUlid : null %}',
          run: '{% $exists($states.result.Payload.run) ? $states.result.Payload.run : null %}',
        },
        Output: { decision: '{% $states.result.Payload.decision %}' },
        Next: 'IsNew',
      },
      IsNew: choice(
        'Another execution has the video, or the object is none of ours.',
        "{% $states.input.decision = 'process' %}",
        'ProcessVideo',
        'AlreadyCreated',
      ),
      AlreadyCreated: succeed('Nothing to do.'),
      ProcessVideo: {
        Type: 'Parallel',
        Comment: 'All of the work in one frame, so that one Catch is enough for whatever goes wrong in it.',
        Branches: [{ StartAt: 'Probe', States: processVideo }],
        Catch: [{ ErrorEquals: ['States.ALL'], Output: { error: '{% $states.errorOutput %}' }, Next: 'Fail' }],
        Output: '{% $states.result[0] %}',
        Next: 'IsCompleted',
      },
      IsCompleted: choice(
        'One output that plays is enough.',
        "{% $states.input.status = 'completed' %}",
        'Completed',
        'VideoFailed',
      ),
      Completed: succeed('The video plays.'),
      VideoFailed: {
        Type: 'Fail',
        Comment: 'Every output failed.',
        Error: "{% $exists($states.input.error) ? $states.input.error : 'Video.Failed' %}",
        Cause: "{% $exists($states.input.cause) ? $states.input.cause : 'Every output failed.' %}",
      },
      Fail: {
        ...callFunction('fail', 'Writes the reason where the uploader sees it, and cancels what is still queued.', {
          videoUlid: '{% $videoUlid %}',
          run: '{% $run %}',
          error: '{% $states.input.error %}',
        }),
        Output: '{% $states.input %}',
        Next: 'Failed',
      },
      Failed: {
        Type: 'Fail',
        Comment: 'The video could not be processed.',
        Error: '{% $states.input.error.Error %}',
        Cause: "{% $exists($states.input.error.Cause) ? $states.input.error.Cause : '' %}",
      },
    } satisfies States,
  };
}

/** Makers of the two kinds of task, with their retries. */
function tasks({ partition, arns, jobTimeoutSeconds }: DefinitionInput) {
  return {
    callFunction: (name: PipelineFunction, comment: string, payload: Record<string, unknown>) => ({
      Type: 'Task',
      Comment: comment,
      Resource: `arn:${partition}:states:::lambda:invoke`,
      Arguments: { FunctionName: arns[name], Payload: payload },
      Retry: functionRetries,
    }),
    runJob: (comment: string, payload: Record<string, unknown>) => ({
      Type: 'Task',
      Comment: comment,
      Resource: `arn:${partition}:states:::lambda:invoke.waitForTaskToken`,
      Arguments: {
        FunctionName: arns.enqueue,
        Payload: { taskToken: '{% $states.context.Task.Token %}', ...payload },
      },
      TimeoutSeconds: jobTimeoutSeconds,
      Output: {} as unknown,
      Retry: jobRetries,
    }),
  };
}

const choice = (comment: string, condition: string, yes: string, no: string): State => ({
  Type: 'Choice',
  Comment: comment,
  Choices: [{ Condition: condition, Next: yes }],
  Default: no,
});

const succeed = (comment: string): State => ({ Type: 'Succeed', Comment: comment, Output: {} });

/** Whatever the error, the next state finds it beside what the failed state was given. */
const catchAll = (next: string) => [
  {
    ErrorEquals: ['States.ALL'],
    Output: "{% $merge([$states.input, { 'error': $states.errorOutput }]) %}",
    Next: next,
  },
];
