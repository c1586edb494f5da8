import { defaults } from '../../../shared/defaults.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { chosenAudio } from '../../planning/audio/choose-tracks.ts';
import type { Plan, PlannedOutput } from '../../planning/encoding-plan.ts';
import type { ProbedSource } from '../../planning/narrow-to-clip.ts';
import { planStreamEdit } from '../../planning/plan-stream-edit.ts';
import { workOf } from '../../planning/planned-records.ts';
import { planPoster, planUploadedPoster } from '../../planning/thumbnail-plan.ts';
import { changeSource } from '../../planning/video/change-picture.ts';
import { videoSource } from '../../planning/video/video-source.ts';
import { usedSource } from '../../stored-plans/stored-frame-index.ts';
import { readPlan } from '../../stored-plans/stored-plans.ts';
import { firstAudioStream } from '../../stream-edits/muxed-output.ts';
import { audioChoices } from '../../stream-edits/plan-track.ts';
import type { Output, Stream, StreamEdit, Video } from '../../table/records.ts';
import { recordOutputWork } from '../../table/stream-edits/rebuilt-outputs.ts';
import type { WholeVideo } from '../../table/videos/video-table.ts';
import { posterSchema } from '../../templates/query-structure.ts';
import { templateQuerySchema } from '../../templates/template-query.ts';

/** The plan of one stream edit: what is encoded, and the outputs as they will be. */
export async function planEdit(whole: WholeVideo, edit: StreamEdit, probed: ProbeResult): Promise<Plan> {
  const { video } = whole;
  const needsFrames = edit.action === 'poster' || (edit.action === 'encode' && edit.type !== 'audio');
  const source = await usedSource(video, probed, { needsFrames });
  if (edit.action === 'poster') return planPosterEdit(whole, edit, source);
  const waiting = whole.edits.filter(({ planNumber }) => planNumber !== edit.planNumber);
  const streams = playingStreams(whole.streams, waiting);
  const query = templateQuerySchema.parse(video.query);
  const { probe: used } = source;
  const probe = { ...used, audio: audioChoices(edit, chosenAudio(used.audio, query.tracks)) };
  const outputs = await Promise.all(
    outputsOfEdit(whole, edit).map((output) =>
      edit.type === 'muxed' ? plannedMuxedOutput(output, streams) : plannedAsBuilt(video.ulid, output),
    ),
  );
  return planStreamEdit({
    edit,
    base: await readPlan(video.ulid, video.planNumber),
    query,
    probe,
    frames: source.frames,
    streams,
    waiting: waiting.flatMap(({ replaced }) => replaced ?? []),
    outputs,
  });
}

/** The plan of another poster. A template without a poster has the default size and format. */
async function planPosterEdit({ video }: WholeVideo, edit: StreamEdit, source: ProbedSource): Promise<Plan> {
  const base = await readPlan(video.ulid, video.planNumber);
  return {
    ...base,
    starter: null,
    groups: [],
    audio: [],
    streams: [],
    outputs: [],
    captions: [],
    warnings: [],
    carried: {},
    thumbnails: await posterSpec(video, edit, source, base),
  };
}

async function posterSpec(
  video: Video,
  { planNumber: revision, posterSeconds, posterUpload }: StreamEdit,
  used: ProbedSource,
  base: Plan,
): Promise<Plan['thumbnails']> {
  const query = templateQuerySchema.parse(video.query);
  const poster = query.thumbnails?.poster ?? posterSchema.parse({});
  const background = query.scaling?.background;
  if (posterUpload) {
    const { ulid: _, sha256: __, ...image } = posterUpload;
    return planUploadedPoster(image, { revision, poster, background });
  }
  if (!used.probe.video || !used.frames || posterSeconds === undefined) {
    throw new JobError('INPUT_UNSUPPORTED', 'The source has no video for a poster.');
  }
  const chosen = { atSeconds: posterSeconds + base.originSeconds, revision, poster };
  const { probe, frames } = changeSource(used, query);
  const shown = {
    ...videoSource(probe.video!, probe, background),
    ...(base.source?.watermark && { watermark: base.source.watermark }),
  };
  return planPoster(chosen, shown, probe.video!, frames!);
}

/**
 * The record of a stream names its new track as soon as an edit is requested. Until that edit ends, the old one plays.
 */
const playingStreams = (streams: Stream[], waiting: StreamEdit[]): Stream[] =>
  streams.map((stream) => {
    const replaced = waiting.find(({ streamUlid }) => streamUlid === stream.ulid)?.replaced;
    return replaced ? { ...stream, track: replaced.track, planNumber: replaced.planNumber } : stream;
  });

/** The outputs that an edit rebuilds, without those that were deleted since it was requested. */
export const outputsOfEdit = ({ outputs }: WholeVideo, edit: StreamEdit): Output[] =>
  outputs.filter(({ ulid }) => edit.outputs.includes(ulid));

/** An output as it is in the plan that it was built by. */
async function plannedAsBuilt(videoUlid: string, output: Output): Promise<PlannedOutput> {
  const plan = await readPlan(videoUlid, output.builtByPlan);
  const planned = plan.outputs.find(({ name }) => name === output.name);
  if (!planned) throw new Error(`plan ${output.builtByPlan} has no output ${output.name}`);
  return planned;
}

/** The file of a muxed stream: the new video track, which planning adds, and the first audio stream of the video. */
const plannedMuxedOutput = ({ name }: Output, streams: Stream[]): PlannedOutput => ({
  name,
  format: 'mp4',
  container: 'mp4',
  video: [],
  audio: firstAudioStream(streams).map(({ track }) => track),
  segmentSeconds: defaults.segmentSeconds,
  faststart: true,
  error: null,
});

/** Stores the units of work of each output that is not completed, from which its progress is computed. */
export async function recordWork(
  { video }: WholeVideo,
  outputs: Output[],
  plan: Plan,
  planNumber: number,
): Promise<void> {
  for (const output of outputs) {
    const planned = plan.outputs.find(({ name }) => name === output.name);
    if (output.status === 'completed' || !planned) continue;
    await recordOutputWork({ videoUlid: video.ulid, planNumber }, output, workOf(planned, plan, planNumber));
  }
}
