import { catchAll, choice, type States, type Tasks } from './task-states.ts';

/** What happens to one output. Its failure ends in `FailOutput`, so that the others go on. */
export const packageOutput = ({ callFunction, runJob }: Tasks): States => ({
  NeedsRemux: choice(
    'MP4 and MPEG-TS are other bytes than what was encoded; HLS and DASH are manifests over the same.',
    '{% $states.input.remux %}',
    'RemuxOutput',
    'PackageOutput',
  ),
  RemuxOutput: {
    Type: 'Map',
    Comment: 'Copies finished tracks into the output container: one file, or a set of segments for each rung.',
    Items: '{% [$states.input.parts] %}',
    ItemProcessor: {
      ProcessorConfig: { Mode: 'INLINE' },
      StartAt: 'RemuxPart',
      States: {
        RemuxPart: {
          ...runJob('Copies one part.', {
            videoUlid: '{% $videoUlid %}',
            planNumber: '{% $planNumber %}',
            kind: 'package',
            group: '{% $states.input.group %}',
            index: '{% $states.input.index %}',
          }),
          End: true,
        },
      },
    },
    Output: '{% $states.input %}',
    Catch: catchAll('FailOutput'),
    Next: 'PackageOutput',
  },
  PackageOutput: {
    ...callFunction('package-output', 'Writes the manifests and checks that every file is there.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      outputUlid: '{% $states.input.outputUlid %}',
    }),
    Output: {},
    Catch: catchAll('FailOutput'),
    End: true,
  },
  FailOutput: {
    ...callFunction('fail-output', 'An output fails alone.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      outputUlid: '{% $states.input.outputUlid %}',
      error: '{% $states.input.error %}',
    }),
    Output: {},
    End: true,
  },
});
