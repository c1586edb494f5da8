import type { PlanResult } from '../../shared/protocol/plan-result.ts';
import { listRetries } from './retries.ts';
import { catchAll, choice, type DefinitionInput, type State, type States, succeed, type Tasks } from './task-states.ts';

/** The branches of `Encode`. A failure in one fails its streams, not the video. */
export const encodeBranches = (tasks: Tasks, input: DefinitionInput): { StartAt: string; States: States }[] => [
  { StartAt: 'HasVideo', States: encodeVideo(tasks, input) },
  { StartAt: 'EncodeAudio', States: encodeAudio(tasks) },
  { StartAt: 'HasThumbnails', States: makeThumbnails(tasks) },
];

const encodeVideo = (makers: Tasks, input: DefinitionInput): States => ({
  HasVideo: choice(
    'A source without video has no chunks.',
    '{% $plan.chunks.count + $plan.waitingChunks.count > 0 %}',
    'IsMeasured',
    'NoVideo',
  ),
  IsMeasured: choice(
    'The qualities of a ladder are decided by a measurement of the source.',
    '{% $plan.isMeasured %}',
    'EncodeMeasured',
    'EncodeVideo',
  ),
  EncodeVideo: encodeChunks(makers, input, { list: 'chunks', name: 'EncodeVideo', suffix: '' }),
  EncodeMeasured: measuredEncode(makers, input),
  NoVideo: succeed('The source has no video.'),
});

type ChunkMap = {
  /** the list of `plan` that has the chunks */
  list: keyof Pick<PlanResult, 'chunks' | 'waitingChunks'>;
  name: string;
  /** the names of states are unique in the whole state machine */
  suffix: string;
};

/** A map over the chunks of a list. */
export const encodeChunks = (
  { callFunction, runJob }: Tasks,
  input: DefinitionInput,
  { list, name, suffix }: ChunkMap,
): State => ({
  Type: 'Map',
  Comment:
    'Each chunk with all its rungs. Child executions: an inline map is limited to 40 at a time and 25,000 events.',
  Label: name,
  ItemReader: {
    Resource: `arn:${input.partition}:states:::s3:getObject`,
    ReaderConfig: { InputType: 'JSON' },
    Arguments: { Bucket: `{% $plan.${list}.bucket %}`, Key: `{% $plan.${list}.key %}` },
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
    StartAt: `EncodeChunk${suffix}`,
    States: {
      [`EncodeChunk${suffix}`]: {
        ...runJob('Encodes one chunk.', {
          videoUlid: '{% $states.input.videoUlid %}',
          planNumber: '{% $states.input.planNumber %}',
          kind: 'encode-video',
          index: '{% $states.input.index %}',
          group: '{% $states.input.group %}',
        }),
        Catch: catchAll(`FailStreams${suffix}`),
        End: true,
      },
      [`FailStreams${suffix}`]: {
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

/** The first chunks are encoded beside the measurement, the others with the qualities that it decides. */
const measuredEncode = (makers: Tasks, input: DefinitionInput): State => ({
  Type: 'Parallel',
  Comment: 'A measurement that fails delays the video, but does not fail it: defaults are used.',
  Branches: [
    {
      StartAt: 'HasFirstChunks',
      States: {
        HasFirstChunks: choice(
          'Without playback during the encode, all chunks wait for the measurement.',
          '{% $plan.chunks.count > 0 %}',
          'EncodeFirst',
          'NoFirstChunks',
        ),
        EncodeFirst: encodeChunks(makers, input, { list: 'chunks', name: 'EncodeFirst', suffix: 'First' }),
        NoFirstChunks: succeed('All chunks wait for the measurement.'),
      },
    },
    {
      StartAt: 'MeasureQuality',
      States: {
        MeasureQuality: {
          ...makers.runJob('Encodes samples of the source and measures their quality.', {
            videoUlid: '{% $videoUlid %}',
            planNumber: '{% $planNumber %}',
            kind: 'quality',
            index: 0,
          }),
          Catch: catchAll('DecideQuality'),
          Next: 'DecideQuality',
        },
        DecideQuality: {
          ...makers.callFunction('decide-quality', 'Decides the quality of each rung, and which rungs are left out.', {
            videoUlid: '{% $videoUlid %}',
            planNumber: '{% $planNumber %}',
          }),
          Output: {},
          Catch: catchAll('EncodeWaiting'),
          Next: 'EncodeWaiting',
        },
        EncodeWaiting: encodeChunks(makers, input, {
          list: 'waitingChunks',
          name: 'EncodeWaiting',
          suffix: 'Waiting',
        }),
      },
    },
  ],
  Output: {},
  End: true,
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
