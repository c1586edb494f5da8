import { encodeBranches } from './encode-states.ts';
import { packageOutput } from './package-states.ts';
import { choice, type DefinitionInput, type States, succeed, type Tasks, tasks } from './task-states.ts';

/**
 * The state machine in the Amazon States Language, with JSONata. State names are the words that an operator uses: the console shows them as they
 * stand here. A worker job is a call of `enqueue` that ends when the job's task token is answered.
 */
export function pipelineDefinition(input: DefinitionInput) {
  const makers = tasks(input);
  const { callFunction } = makers;
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
          planNumber: '{% $exists($states.result.Payload.planNumber) ? $states.result.Payload.planNumber : null %}',
        },
        Output: { decision: '{% $states.result.Payload.decision %}' },
        Next: 'IsNew',
      },
      IsNew: choice(
        'All others end here: another execution has the video, it has to wait, or the object is none of ours.',
        "{% $states.input.decision = 'process' %}",
        'ProcessVideo',
        'IsQueued',
      ),
      IsQueued: choice(
        'As many videos are in work as the stage allows.',
        "{% $states.input.decision = 'queued' %}",
        'Queued',
        'AlreadyCreated',
      ),
      Queued: succeed('An execution of its own is started for the video when a place is free.'),
      AlreadyCreated: succeed('Nothing to do.'),
      ProcessVideo: {
        Type: 'Parallel',
        Comment: 'All of the work in one frame, so that one Catch is enough for whatever goes wrong in it.',
        Branches: [{ StartAt: 'Probe', States: processVideo(makers, input) }],
        Catch: [{ ErrorEquals: ['States.ALL'], Output: { error: '{% $states.errorOutput %}' }, Next: 'FailVideo' }],
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
      FailVideo: {
        ...callFunction('fail', 'Writes the reason where the uploader sees it, and cancels what is still queued.', {
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
    ...makers.runJob('What is in the file, and where its key frames are.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      kind: 'probe',
      index: 0,
    }),
    Next: 'Plan',
  },
  Plan: {
    ...makers.callFunction('plan', 'Cuts the source into chunks and says what each output is made of.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Assign: { plan: '{% $states.result.Payload %}' },
    Output: {},
    Next: 'Encode',
  },
  Encode: {
    Type: 'Parallel',
    Comment: 'Video, audio and thumbnails need nothing of each other.',
    Branches: encodeBranches(makers, input),
    Output: {},
    Next: 'StartPackaging',
  },
  StartPackaging: {
    ...makers.callFunction('start-packaging', 'All chunks are done or given up: what is left to package?', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Output: { decision: '{% $states.result.Payload.decision %}' },
    Next: 'HasOutputs',
  },
  HasOutputs: choice(
    'No output can be made of streams that all failed.',
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
    ...makers.callFunction('publish', 'Decides how the video ended, and says so in the same write that shows it.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Output: '{% $states.result.Payload %}',
    End: true,
  },
});
