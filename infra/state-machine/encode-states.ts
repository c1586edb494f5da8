import { listRetries } from './retries.ts';
import { catchAll, choice, type DefinitionInput, type States, succeed, type Tasks } from './task-states.ts';

/** The branches of `Encode`. What is lost in one is noted and left out: none of them fails the video. */
export const encodeBranches = (tasks: Tasks, input: DefinitionInput): { StartAt: string; States: States }[] => [
  { StartAt: 'HasVideo', States: encodeVideo(tasks, input) },
  { StartAt: 'EncodeAudio', States: encodeAudio(tasks) },
  { StartAt: 'HasThumbnails', States: makeThumbnails(tasks) },
];

const encodeVideo = ({ callFunction, runJob }: Tasks, input: DefinitionInput): States => ({
  HasVideo: choice('Audio alone has no chunks.', '{% $plan.chunks.count > 0 %}', 'EncodeVideo', 'NoVideo'),
  EncodeVideo: {
    Type: 'Map',
    Comment: 'Each chunk with all its rungs. Child executions: an inline map stops at 40 at a time and 25,000 events.',
    Label: 'EncodeVideo',
    ItemReader: {
      Resource: `arn:${input.partition}:states:::s3:getObject`,
      ReaderConfig: { InputType: 'JSON' },
      Arguments: { Bucket: '{% $plan.chunks.bucket %}', Key: '{% $plan.chunks.key %}' },
    },
    // Child executions see no variables of their parent.
    ItemSelector: {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      index: '{% $states.context.Map.Item.Value.index %}',
      group: '{% $states.context.Map.Item.Value.group %}',
    },
    MaxConcurrency: input.maxChunksAtOnce,
    Retry: listRetries,
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
      StartAt: 'EncodeChunk',
      States: {
        EncodeChunk: {
          ...runJob('Encodes one chunk.', {
            videoUlid: '{% $states.input.videoUlid %}',
            planNumber: '{% $states.input.planNumber %}',
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
              planNumber: '{% $states.input.planNumber %}',
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
});

const encodeAudio = ({ callFunction, runJob }: Tasks): States => ({
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
            planNumber: '{% $planNumber %}',
            kind: 'encode-audio',
            index: '{% $states.input.index %}',
          }),
          Catch: catchAll('FailTrack'),
          End: true,
        },
        FailTrack: {
          ...callFunction('fail-streams', 'The track is lost; the video goes on without it.', {
            videoUlid: '{% $videoUlid %}',
            planNumber: '{% $planNumber %}',
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
});

const makeThumbnails = ({ runJob }: Tasks): States => ({
  HasThumbnails: choice(
    'Only a template that asks for them has any.',
    '{% $plan.thumbnails %}',
    'MakeThumbnails',
    'NoThumbnails',
  ),
  MakeThumbnails: {
    ...runJob('Poster and sprites.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      kind: 'thumbnails',
      index: 0,
    }),
    Catch: catchAll('NoThumbnails'),
    End: true,
  },
  NoThumbnails: { Type: 'Pass', Comment: 'A video plays without them.', Output: {}, End: true },
});
