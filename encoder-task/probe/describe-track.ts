import { type ProbeStream, probeDocumentSchema } from '../../shared/protocol/probe-document.ts';
import { type TrackProperties, trackPropertiesSchema } from '../../shared/protocol/track-properties.ts';
import { describeTrackArgs } from '../ffmpeg/ffprobe-args.ts';
import { runFfprobe } from '../ffmpeg/run-ffprobe.ts';
import type { Log } from '../runtime/log.ts';
import type { ProcessContext } from '../runtime/run-process.ts';

type Encoded = { name: string; init: { file: string }; segments: { file: string }[] };

/**
 * Reads the properties of an encoded track from its init segment and first media segment in the job folder. They are
 * only displayed, so a track that ffprobe cannot read has none.
 */
export async function describeTrack(
  context: ProcessContext & { log: Log },
  { name, init, segments }: Encoded,
): Promise<TrackProperties> {
  const files = [init, ...segments.slice(0, 1)].map(({ file }) => file);
  const { document, stderrTail } = await runFfprobe(context, describeTrackArgs(files));
  const stream = probeDocumentSchema.safeParse(document).data?.streams[0];
  if (!stream) context.log.warn('ffprobe cannot read an encoded track', { track: name, stderr: stderrTail });
  return stream ? propertiesOf(stream) : {};
}

const propertiesOf = (stream: ProbeStream): TrackProperties => {
  const properties: Record<keyof TrackProperties, unknown> = {
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
  const known = Object.entries(properties).filter(([, value]) => value !== undefined && value !== 'unknown');
  return trackPropertiesSchema.parse(Object.fromEntries(known));
};
