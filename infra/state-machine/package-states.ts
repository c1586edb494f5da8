import { catchAll, choice, type States, type Tasks } from './task-states.ts';

/** The states of one output. Its failure ends in `FailOutput`, and the other outputs continue. */
export const packageOutput = ({ callFunction, runJob }: Tasks): States => ({
  NeedsRemux: choice(
    'MP4 and MPEG-TS need another container; HLS and DASH are manifests over the encoded segments.',
    '{% $states.input.remux %}',
    'RemuxOutput',
    'PackageOutput',
  ),
  RemuxOutput: {
    Type: 'Map',
    Comment: 'Remuxes encoded tracks into the output container: one file, or a set of segments per rung.',
    Items: '{% [$states.input.parts] %}',
    ItemProcessor: {
      ProcessorConfig: { Mode: 'INLINE' },
      StartAt: 'RemuxPart',
      States: {
        RemuxPart: {
          ...runJob('Remuxes one part.', {
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
    ...callFunction('package-output', 'Writes the manifests and checks that every file exists.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      outputUlid: '{% $states.input.outputUlid %}',
    }),
    Output: {},
    Catch: catchAll('FailOutput'),
    End: true,
  },
  FailOutput: {
    ...callFunction('fail-output', 'Fails this output only.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      outputUlid: '{% $states.input.outputUlid %}',
      error: '{% $states.input.error %}',
    }),
    Output: {},
    End: true,
  },
});
