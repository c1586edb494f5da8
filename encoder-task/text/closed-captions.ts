import * as z from 'zod';
import type { ProbeStream } from '../../shared/protocol/probe-document.ts';

/** Codecs whose frames can carry CEA-608 and CEA-708 captions (ATSC A/53 part 4). */
export const mayHaveClosedCaptions = ({ codec_name }: ProbeStream): boolean =>
  ['h264', 'hevc', 'mpeg2video'].includes(codec_name ?? '');

const framesSchema = z.object({
  frames: z
    .array(
      z.object({
        side_data_list: z
          .array(z.object({ side_data_type: z.string().optional().catch(undefined) }))
          .optional()
          .catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
});

/** Whether a frame in the output of `firstFramesArgs` carries closed captions. */
export function hasClosedCaptions(document: unknown): boolean {
  const { data } = framesSchema.safeParse(document);
  return (data?.frames ?? []).some(({ side_data_list = [] }) =>
    side_data_list.some(({ side_data_type }) => side_data_type === 'ATSC A53 Part 4 Closed Captions'),
  );
}
