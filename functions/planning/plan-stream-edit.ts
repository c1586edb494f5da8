import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FrameIndex, ProbeResult } from '../../shared/protocol/probe-result.ts';
import type { Stream, StreamEdit } from '../table/records.ts';
import { audioEntrySchema, type TemplateQuery, videoEntrySchema } from '../templates/query-structure.ts';
import { refuseAmplification } from './output-budget.ts';
import type { Plan, PlannedOutput, PlannedStream } from './plan.ts';
import { audioStream, videoStream } from './planned-stream.ts';
import { singleRendition, singleRung } from './single-track.ts';
import { type EncodeGroup, encodeGroups, groupEndSeconds } from './video/encode-groups.ts';

type Input = {
  change: StreamEdit;
  /** the plan of the whole video */
  base: Plan;
  query: TemplateQuery;
  probe: ProbeResult;
  /** null for a source without video, or when none is encoded */
  frames: FrameIndex | null;
  /** the streams as they will be; the changed one among them unless it is taken away */
  streams: Stream[];
  /** tracks that play until changes that wait for this one have replaced them or taken them away */
  waiting: { track: string; planNumber: number }[];
  /** the outputs to be rebuilt, as the plans describe them that they were built by last */
  outputs: PlannedOutput[];
};

/**
 * Plans the change of one stream: its encode on the clock of the whole video's plan, and the outputs with it, or without it. All other tracks are
 * carried over from the plans that made them.
 */
export function planStreamEdit(input: Input): Plan {
  const { base } = input;
  const encoded = input.change.action === 'remove' ? nothing : encodes(input);
  const outputs = input.outputs.map((output) => changed(output, input, encoded.streams));
  const used = new Set(outputs.flatMap(({ video, audio }) => [...video, ...audio]));
  const others = [...input.streams, ...input.waiting];
  const carried = others.filter(({ track, planNumber }) => used.has(track) && planNumber !== input.change.planNumber);
  return {
    originSeconds: base.originSeconds,
    durationSeconds: Math.max(base.durationSeconds, encoded.endSeconds),
    aspectRatio: base.aspectRatio,
    source: base.source,
    groups: encoded.groups,
    audio: encoded.audio,
    streams: encoded.streams,
    outputs,
    thumbnails: null,
    warnings: [],
    carried: Object.fromEntries(carried.map(({ track, planNumber }) => [track, planNumber])),
  };
}

type Encodes = Pick<Plan, 'groups' | 'audio' | 'streams'> & { endSeconds: number };

const nothing: Encodes = { groups: [], audio: [], streams: [], endSeconds: 0 };

const encodes = (input: Input): Encodes => (input.change.type === 'audio' ? encodedAudio(input) : encodedVideo(input));

function encodedVideo({ change, base, query, probe, frames }: Input): Encodes {
  if (!probe.video || !frames) throw new JobError('INPUT_UNSUPPORTED', 'The source has no video to encode.');
  const item = singleRung(videoEntrySchema.parse(change.entry), query.scaling?.fit ?? 'contain', probe.video);
  refuseAmplification(probe, { rungs: [item], audio: [], originSeconds: base.originSeconds });
  const variant = { item, name: item.rung.name, segmentSeconds: change.segmentSeconds };
  const source = { track: probe.video, frames, formatName: probe.formatName };
  const groups = encodeGroups(source, [variant], {
    originSeconds: base.originSeconds,
    targetChunkSeconds: query.chunk_duration,
  }).map(fromZero);
  return { groups, audio: [], streams: [videoStream(variant)], endSeconds: Math.max(...groups.map(groupEndSeconds)) };
}

/** A lower frame rate may put the first frame up to half a frame before the clock's zero, which was set without it. */
const fromZero = (group: EncodeGroup): EncodeGroup => ({
  ...group,
  grid: { ...group.grid, startTicks: Math.max(0, group.grid.startTicks) },
});

function encodedAudio({ change, base, probe }: Input): Encodes {
  const item = singleRendition(audioEntrySchema.parse(change.entry), probe.audio);
  if (!item) throw new JobError('INPUT_UNSUPPORTED', 'The source has no audio to encode.');
  refuseAmplification(probe, { rungs: [], audio: [item.track], originSeconds: base.originSeconds });
  const { segmentSeconds } = change;
  const { name } = item.rendition;
  return {
    groups: [],
    audio: [{ ...item.rendition, segmentSeconds }],
    streams: [audioStream({ item, name, segmentSeconds })],
    endSeconds: item.track.startSeconds + item.track.durationSeconds - base.originSeconds,
  };
}

/** An output with the new track in its place, the best picture first, and without the one that is replaced. */
function changed(output: PlannedOutput, { change, streams }: Input, encoded: PlannedStream[]): PlannedOutput {
  const added = streams.find(({ ulid }) => ulid === change.streamUlid);
  // The new track is there already when a plan is made a second time.
  const stays = (name: string): boolean => name !== change.replaced?.track && name !== added?.track;
  const [video, audio] = [output.video.filter(stays), output.audio.filter(stays)];
  if (change.action === 'remove' || !added) return { ...output, video, audio };
  if (change.type === 'audio') return { ...output, video, audio: placed(output.audio, audio, added.track, change) };
  const sizes = [...encoded, ...streams];
  const pixels = (name: string): number => {
    const { width, height } = sizes.find((size) => nameOf(size) === name) ?? {};
    return (width ?? 0) * (height ?? 0);
  };
  const position = video.findIndex((name) => pixels(name) < pixels(added.track));
  return { ...output, video: video.toSpliced(position === -1 ? video.length : position, 0, added.track), audio };
}

/** Streams are known by their tracks, planned ones by their names. */
const nameOf = (stream: Stream | PlannedStream): string => ('track' in stream ? stream.track : stream.name);

/** A re-encoded audio track stays where it was, since the first one is the default; a new one comes last. */
function placed(before: string[], rest: string[], track: string, { replaced }: StreamEdit): string[] {
  const position = replaced ? before.indexOf(replaced.track) : -1;
  return rest.toSpliced(position === -1 ? rest.length : position, 0, track);
}
