import { defaults } from '../../shared/defaults.ts';
import type { AudioTrack } from '../../shared/protocol/probe-result.ts';
import { planStreamEdit } from '../planning/plan-stream-edit.ts';
import type { Plan, PlannedOutput } from '../planning/plan-video.ts';
import { workOf } from '../planning/planned-records.ts';
import { readFrames } from '../planning/stored-frame-index.ts';
import { readPlan } from '../planning/stored-plans.ts';
import { probeOf } from '../queue/probe-job.ts';
import { write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import type { Output, Stream, StreamEdit } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { templateQuerySchema } from '../templates/template-query.ts';

/** What one change of a stream encodes, and the outputs that are rebuilt with it. */
export async function planOfEdit(whole: WholeVideo, change: StreamEdit): Promise<Plan> {
  const { video } = whole;
  const waiting = whole.edits.filter(({ planNumber }) => planNumber !== change.planNumber);
  const streams = asTheyPlay(whole.streams, waiting);
  const source = await probeOf(video.ulid);
  const probe = { ...source, audio: audioFor(change, source.audio) };
  const encodesVideo = change.action === 'encode' && change.type !== 'audio' && probe.video !== null;
  const outputs = await Promise.all(
    outputsOf(whole, change).map((output) =>
      change.type === 'muxed' ? newFile(output, streams) : asBuilt(video.ulid, output),
    ),
  );
  return planStreamEdit({
    change,
    base: await readPlan(video.ulid, video.planNumber),
    query: templateQuerySchema.parse(video.query),
    probe,
    frames: encodesVideo ? await readFrames(video.ulid) : null,
    streams,
    waiting: waiting.flatMap(({ replaced }) => replaced ?? []),
    outputs,
  });
}

/** A stream has its new track from the moment that its change is asked for, while the old one plays until that is done. */
const asTheyPlay = (streams: Stream[], waiting: StreamEdit[]): Stream[] =>
  streams.map((stream) => {
    const replaced = waiting.find(({ streamUlid }) => streamUlid === stream.ulid)?.replaced;
    return replaced ? { ...stream, track: replaced.track, planNumber: replaced.planNumber } : stream;
  });

/** The source's audio tracks that a change chooses from: one alone when it was chosen before. */
export const audioFor = (
  { sourceStreamIndex }: Pick<StreamEdit, 'sourceStreamIndex'>,
  tracks: AudioTrack[],
): AudioTrack[] =>
  sourceStreamIndex === undefined ? tracks : tracks.filter(({ streamIndex }) => streamIndex === sourceStreamIndex);

/** The outputs that a change rebuilds and that are still there. */
export const outputsOf = ({ outputs }: WholeVideo, change: StreamEdit): Output[] =>
  outputs.filter(({ ulid }) => change.outputs.includes(ulid));

/** An output as the plan describes it that it was built by last, without what was deleted since. */
async function asBuilt(videoUlid: string, output: Output): Promise<PlannedOutput> {
  const plan = await readPlan(videoUlid, output.builtByPlan);
  const planned = plan.outputs.find(({ name }) => name === output.name);
  if (!planned) throw new Error(`the plan ${output.builtByPlan} has no output ${output.name}`);
  return planned;
}

/** The file of a muxed stream, with the video's first audio track as it is now. */
const newFile = ({ name }: Output, streams: Stream[]): PlannedOutput => ({
  name,
  format: 'mp4',
  container: 'mp4',
  video: [],
  audio: firstAudio(streams).map(({ track }) => track),
  segmentSeconds: defaults.segmentSeconds,
  faststart: true,
  error: null,
});

export const firstAudio = (streams: Stream[]): Stream[] =>
  streams.filter(({ type, bytes }) => type === 'audio' && bytes !== null).slice(0, 1);

/** Shows what a new output will take, for its progress. */
export async function noteWork(
  { video }: WholeVideo,
  outputs: Output[],
  plan: Plan,
  planNumber: number,
): Promise<void> {
  for (const { ulid, name, status } of outputs) {
    const planned = plan.outputs.find((one) => one.name === name);
    if (status === 'completed' || !planned) continue;
    const set = { [`outputs.${ulid}.work`]: workOf(planned, plan, planNumber) };
    await write({
      update: keys.outputs(video.ulid),
      set,
      when: { equals: { [`outputs.${ulid}.builtByPlan`]: planNumber } },
    });
  }
}
