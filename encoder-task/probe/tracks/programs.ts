import * as z from 'zod';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';

/** A program of a transport stream: a channel of a broadcast, with its streams. */
export type Program = { number: number; streams: number[] };

const documentSchema = z.object({
  programs: z.array(
    z.object({ program_num: z.int().min(0).max(0xffff), streams: z.array(z.object({ index: z.int() })) }),
  ),
});

/** The programs in a document of `describeArgs`. */
export const programsOf = (document: unknown): Program[] =>
  (documentSchema.safeParse(document).data?.programs ?? []).map(({ program_num, streams }) => ({
    number: program_num,
    streams: streams.map(({ index }) => index),
  }));

/**
 * Leaves out the streams that belong only to other programs than that of a stream. A stream that is in no program
 * belongs to all of them.
 */
export function streamsOfProgram(
  streams: ProbeStream[],
  programs: Program[],
  chosen: ProbeStream | undefined,
): { streams: ProbeStream[]; decisions: Decision[] } {
  const used = programs.filter((program) => chosen && program.streams.includes(chosen.index));
  const others = programs.filter((program) => !used.includes(program));
  const leftOut = streams.filter(({ index }) => isIn(others, index) && !isIn(used, index));
  if (used.length === 0 || !leftOut.some(({ codec_type }) => codec_type === 'video' || codec_type === 'audio')) {
    return { streams, decisions: [] };
  }
  const [program] = used;
  return {
    streams: streams.filter((stream) => !leftOut.includes(stream)),
    decisions: [
      {
        code: 'program_chosen',
        message: `The file has ${programs.length} programs: program ${program!.number} is used. Upload the others as separate files.`,
        facts: {
          program: program!.number,
          programs: programs.map(({ number }) => number).slice(0, 64),
          streams_left_out: leftOut.map(({ index }) => index).slice(0, 64),
        },
      },
    ],
  };
}

const isIn = (programs: Program[], streamIndex: number): boolean =>
  programs.some(({ streams }) => streams.includes(streamIndex));
