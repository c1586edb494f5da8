import type { EncodedTrack } from '../../shared/protocol/encode-spec.ts';
import { type ProbeStream, probeDocumentSchema } from '../../shared/protocol/probe-document.ts';
import { type TrackFacts, trackFactsSchema } from '../../shared/protocol/track-facts.ts';
import { describeTrackArgs } from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import type { Log } from '../runtime/log.ts';
import type { ProcessContext } from '../runtime/run-process.ts';

type Made = Pick<EncodedTrack, 'name' | 'init' | 'segments'>;

/**
 * Reads the facts of a track from its init segment and its first media segment, which are in the job's folder. They are shown to the user and change
 * nothing, so a track that ffprobe cannot read has none.
 */
export async function describeTrack(
  context: ProcessContext & { log: Log },
  { name, init, segments }: Made,
): Promise<TrackFacts> {
  const files = [init, ...segments.slice(0, 1)].map(({ file }) => file);
  const { document, stderrTail } = await runFfprobe(context, describeTrackArgs(files));
  const stream = probeDocumentSchema.safeParse(document).data?.streams[0];
  if (!stream) context.log.warn('the facts of a track cannot be read', { track: name, stderr: stderrTail });
  return stream ? factsOf(stream) : {};
}

const factsOf = (stream: ProbeStream): TrackFacts => {
  const facts: Record<keyof TrackFacts, unknown> = {
    profile: stream.profile,
    pixelFormat: stream.pix_fmt,
    colorPrimaries: stream.color_primaries,
    colorTransfer: stream.color_transfer,
    colorSpace: stream.color_space,
    colorRange: stream.color_range,
    sampleRateHz: stream.sample_rate && Number(stream.sample_rate),
    channelLayout: stream.channel_layout,
    loudnessLufs: undefined,
  };
  const told = Object.entries(facts).filter(([, value]) => value !== undefined && value !== 'unknown');
  return trackFactsSchema.parse(Object.fromEntries(told));
};
