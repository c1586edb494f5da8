import { defaults } from '../../shared/defaults.ts';
import { isCarriedBy } from '../../shared/media/codecs.ts';
import { readPlan } from '../planning/stored-plans.ts';
import type { Output, Stream } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import type { InputParams } from '../templates/input-params.ts';

/** Outputs that take a stream, with what binds it to the other tracks there. */
export type Target = { segmentSeconds: number; gopSeconds: number | null; outputs: Output[] };

/** Of a stream that goes into no output with segments. */
export const fileTarget: Target = { segmentSeconds: defaults.segmentSeconds, gopSeconds: null, outputs: [] };

const carries = ({ container }: Output, codec: InputParams['codec']): boolean =>
  codec !== undefined && isCarriedBy(container, codec);

/** Outputs that are more than one file, play, and can hold a track of this type and codec. */
export function openOutputs(
  { outputs, streams }: WholeVideo,
  type: Stream['type'],
  codec: InputParams['codec'],
): Output[] {
  return outputs.filter((output) => {
    if (output.status !== 'completed' || output.format === 'mp4') return false;
    if (type === 'audio') return output.container === 'fmp4';
    if (!carries(output, codec)) return false;
    return tracksOf(output, streams, 'video').length > 0;
  });
}

export const tracksOf = (output: Output, streams: Stream[], type: Stream['type']): Stream[] =>
  streams.filter((stream) => stream.type === type && output.streams.includes(stream.ulid));

/** Whether the container of one of the outputs cannot carry the codec: MPEG-TS takes few. */
export const refusesCodec = (outputs: Output[], { codec }: InputParams): boolean =>
  !outputs.every((output) => carries(output, codec));

/** The outputs by the length of their segments: a track can be cut in one way only. */
export async function targetsOf({ video, streams }: WholeVideo, outputs: Output[]): Promise<Target[]> {
  const lengths = await Promise.all(outputs.map((output) => segmentSeconds(video.ulid, output)));
  const groups = Map.groupBy(outputs, (output) => lengths[outputs.indexOf(output)]!);
  return [...groups].map(([seconds, members]) => ({
    segmentSeconds: seconds,
    gopSeconds: gopSeconds(members, streams),
    outputs: members,
  }));
}

async function segmentSeconds(videoUlid: string, output: Output): Promise<number> {
  const plan = await readPlan(videoUlid, output.builtByPlan);
  return plan.outputs.find(({ name }) => name === output.name)?.segmentSeconds ?? 0;
}

/** All video of one output shares its key frames. */
function gopSeconds(outputs: Output[], streams: Stream[]): number | null {
  const [first] = outputs.flatMap((output) => tracksOf(output, streams, 'video'));
  return typeof first?.inputParams.gop === 'number' ? first.inputParams.gop : null;
}
