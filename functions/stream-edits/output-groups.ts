import { defaults } from '../../shared/defaults.ts';
import { isCarriedBy } from '../../shared/media/codecs.ts';
import { isSegmented } from '../../shared/media/output-formats.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import type { Output, Stream } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';

/**
 * Outputs that one encode of a stream can join: their tracks have the same segment length, and their video the same GOP
 * length.
 */
export type OutputGroup = { segmentSeconds: number; gopSeconds: number | null; outputs: Output[] };

/** For a muxed stream, which joins no segmented output. */
export const muxedGroup: OutputGroup = { segmentSeconds: defaults.segmentSeconds, gopSeconds: null, outputs: [] };

const canCarry = ({ container }: Output, codec: InputParams['codec']): boolean =>
  codec !== undefined && isCarriedBy(container, codec);

/** The completed HLS and DASH outputs that a new stream of this type and codec can join. */
export function acceptingOutputs(
  { outputs, streams }: WholeVideo,
  type: Stream['type'],
  codec: InputParams['codec'],
): Output[] {
  return outputs.filter((output) => {
    if (output.status !== 'completed' || !isSegmented(output.format)) return false;
    if (type === 'audio') return output.container === 'fmp4';
    if (!canCarry(output, codec)) return false;
    return streamsOfType(output, streams, 'video').length > 0;
  });
}

export const streamsOfType = (output: Output, streams: Stream[], type: Stream['type']): Stream[] =>
  streams.filter((stream) => stream.type === type && output.streams.includes(stream.ulid));

/** Whether the containers of all outputs can carry the codec. MPEG-TS carries few. */
export const allCarry = (outputs: Output[], { codec }: InputParams): boolean =>
  outputs.every((output) => canCarry(output, codec));

/** A track is cut into segments of one length, so it can join only outputs with the same segment length. */
export async function groupBySegmentLength({ video, streams }: WholeVideo, outputs: Output[]): Promise<OutputGroup[]> {
  const lengths = await Promise.all(outputs.map((output) => segmentSeconds(video.ulid, output)));
  const byLength = Map.groupBy(outputs, (output) => lengths[outputs.indexOf(output)]!);
  return [...byLength].map(([seconds, group]) => ({
    segmentSeconds: seconds,
    gopSeconds: gopSeconds(group, streams),
    outputs: group,
  }));
}

async function segmentSeconds(videoUlid: string, output: Output): Promise<number> {
  const plan = await readPlan(videoUlid, output.builtByPlan);
  return plan.outputs.find(({ name }) => name === output.name)?.segmentSeconds ?? 0;
}

/** All video streams of an output have the same GOP length: players switch between them at keyframes. */
function gopSeconds(outputs: Output[], streams: Stream[]): number | null {
  const [first] = outputs.flatMap((output) => streamsOfType(output, streams, 'video'));
  return typeof first?.inputParams.gop === 'number' ? first.inputParams.gop : null;
}
