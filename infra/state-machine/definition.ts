import { encodeBranches } from './encode-states.ts';
import { packageOutput } from './package-states.ts';
import { catchAll, choice, type DefinitionInput, type States, succeed, type Tasks, tasks } from './task-states.ts';

/**
 * The state machine in the Amazon States Language, with JSONata. State names are operator vocabulary: the console shows
 * them. A worker job is a call of `enqueue` that completes when the service sends the result for its task token.
 */
export function pipelineDefinition(input: DefinitionInput) {
  const makers = tasks(input);
  const { callFunction } = makers;
  return {
    Comment: 'Processes an uploaded file into a playable video.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: input.executionTimeoutSeconds,
    StartAt: 'CreateVideo',
    States: {
      CreateVideo: {
        ...callFunction(
          'create-video',
          'Creates the video of the upload once: S3 events can be duplicated and arrive in any order.',
          {
            event: '{% $states.input %}',
            executionArn: '{% $states.context.Execution.Id %}',
            executionName: '{% $states.context.Execution.Name %}',
          },
        ),
        Assign: {
          // An ignored event has no video.
          videoUlid: '{% $exists($states.result.Payload.videoUlid) ? $states.result.Payload.videoUlid : null %}',
          planNumber: '{% $exists($states.result.Payload.planNumber) ? $states.result.Payload.planNumber : null %}',
        },
        Output: { decision: '{% $states.result.Payload.decision %}' },
        Next: 'IsNew',
      },
      IsNew: choice(
        'Other executions end here: the video is queued or has an execution, or the object is not an upload.',
        "{% $states.input.decision = 'process' %}",
        'ProcessVideo',
        'IsQueued',
      ),
      IsQueued: choice(
        'The stage has reached its limit of running videos.',
        "{% $states.input.decision = 'queued' %}",
        'Queued',
        'AlreadyCreated',
      ),
      Queued: succeed('The service starts a new execution for the video when a slot is free.'),
      AlreadyCreated: succeed('Nothing to do.'),
      ProcessVideo: {
        Type: 'Parallel',
        Comment: 'All states in one branch, so that one Catch handles every error.',
        Branches: [{ StartAt: 'Probe', States: processVideo(makers, input) }],
        Catch: [{ ErrorEquals: ['States.ALL'], Output: { error: '{% $states.errorOutput %}' }, Next: 'FailVideo' }],
        Output: '{% $states.result[0] %}',
        Next: 'IsCompleted',
      },
      IsCompleted: choice(
        'One completed output is enough.',
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
      FailVideo: {
        ...callFunction('fail', 'Stores the reason for the uploader and cancels queued jobs.', {
          videoUlid: '{% $videoUlid %}',
          planNumber: '{% $planNumber %}',
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

const processVideo = (makers: Tasks, input: DefinitionInput): States => ({
  Probe: {
    ...makers.runJob('Describes the tracks of the source and indexes its keyframes.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      kind: 'probe',
      index: 0,
    }),
    Next: 'Plan',
  },
  Plan: {
    ...makers.callFunction('plan', 'Decides chunks, rungs and the tracks of each output.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Assign: { plan: '{% $states.result.Payload %}' },
    Output: {},
    Next: 'MakeFiles',
  },
  MakeFiles: {
    Type: 'Parallel',
    Comment: 'The video is published without waiting for captions, which follow when they are late.',
    Branches: [
      { StartAt: 'Encode', States: makeOutputs(makers, input) },
      { StartAt: 'HasText', States: makeCaptions(makers) },
    ],
    Output: '{% $states.result[0] %}',
    End: true,
  },
});

const makeOutputs = (makers: Tasks, input: DefinitionInput): States => ({
  Encode: {
    Type: 'Parallel',
    Comment: 'Video, audio and thumbnails are independent.',
    Branches: encodeBranches(makers, input),
    Output: {},
    Next: 'StartPackaging',
  },
  StartPackaging: {
    ...makers.callFunction('start-packaging', 'All chunks are completed or failed: which outputs can be packaged?', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Output: { decision: '{% $states.result.Payload.decision %}' },
    Next: 'HasOutputs',
  },
  HasOutputs: choice(
    'No output can be packaged if all its streams failed.',
    "{% $states.input.decision = 'package' %}",
    'PackageOutputs',
    'Publish',
  ),
  PackageOutputs: {
    Type: 'Map',
    Comment: 'Each output of the template.',
    Items: '{% [$plan.outputs] %}',
    ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, StartAt: 'NeedsRemux', States: packageOutput(makers) },
    Output: {},
    Next: 'Publish',
  },
  Publish: {
    ...makers.callFunction('publish', 'Sets the final status and publishes the outputs in one write.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Output: '{% $states.result.Payload %}',
    End: true,
  },
});

/** The branch of the text tracks. It never fails, because a video plays without captions. */
const makeCaptions = ({ callFunction, runJob }: Tasks): States => ({
  HasText: choice('Most sources have no text tracks and no chapters.', '{% $plan.captions %}', 'ExtractText', 'NoText'),
  ExtractText: {
    ...runJob('Converts the text tracks and the chapters of the source.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      kind: 'text',
      index: 0,
    }),
    Catch: catchAll('AddCaptions'),
    Next: 'AddCaptions',
  },
  AddCaptions: {
    ...callFunction('add-captions', 'Stores the captions, or why there are none.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Output: {},
    Catch: catchAll('CaptionsNotAdded'),
    End: true,
  },
  CaptionsNotAdded: { Type: 'Pass', Comment: 'The failure of the function is in its log.', Output: {}, End: true },
  NoText: succeed('The video gets no captions from its source.'),
});
