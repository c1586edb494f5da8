import { listRetries } from './retries.ts';
import { catchAll, choice, type DefinitionInput, type States, succeed, type Tasks } from './task-states.ts';

/** The branches of `Encode`. A failure in one fails its streams, not the video. */
export const encodeBranches = (tasks: Tasks, input: DefinitionInput): { StartAt: string; States: States }[] => [
  { StartAt: 'HasVideo', States: encodeVideo(tasks, input) },
  { StartAt: 'EncodeAudio', States: encodeAudio(tasks) },
  { StartAt: 'HasThumbnails', States: makeThumbnails(tasks) },
];

const encodeVideo = ({ callFunction, runJob }: Tasks, input: DefinitionInput): States => ({
  HasVideo: choice('A source without video has no chunks.', '{% $plan.chunks.count > 0 %}', 'EncodeVideo', 'NoVideo'),
  EncodeVideo: {
    Type: 'Map',
    Comment:
      'Each chunk with all its rungs. Child executions: an inline map is limited to 40 at a time and 25,000 events.',
    Label: 'EncodeVideo',
    ItemReader: {
      Resource: `arn:${input.partition}:states:::s3:getObject`,
      ReaderConfig: { InputType: 'JSON' },
      Arguments: { Bucket: '{% $plan.chunks.bucket %}', Key: '{% $plan.chunks.key %}' },
    },
    // Child executions cannot read variables of their parent.
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
            'A failed chunk fails the streams of its group; the video continues with the others.',
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
    Comment: 'Each audio track as a whole: joined audio chunks drift and click.',
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
          ...callFunction('fail-streams', 'A failed track fails its stream; the video continues without it.', {
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
    'Thumbnails are optional in a template.',
    '{% $plan.thumbnails %}',
    'MakeThumbnails',
    'NoThumbnails',
  ),
  MakeThumbnails: {
    ...runJob('Extracts poster and sprites.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      kind: 'thumbnails',
      index: 0,
    }),
    Catch: catchAll('NoThumbnails'),
    End: true,
  },
  NoThumbnails: { Type: 'Pass', Comment: 'A video plays without thumbnails.', Output: {}, End: true },
});
