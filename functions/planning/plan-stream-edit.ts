import { toNumber } from '../../shared/media/rational.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { FrameIndex } from '../../shared/protocol/probe-result.ts';
import type { Stream, StreamEdit } from '../table/records.ts';
import { audioEntrySchema, type TemplateQuery, videoEntrySchema } from '../templates/query-structure.ts';
import type { Plan, PlannedOutput, PlannedStream } from './encoding-plan.ts';
import type { ProbedSource } from './narrow-to-clip.ts';
import { refuseAmplification } from './output-budget.ts';
import { audioStream, videoStream } from './planned-stream.ts';
import { singleRendition, singleRung } from './single-track.ts';
import { changeSource } from './video/change-picture.ts';
import { encodeGroups } from './video/encode-groups.ts';
import type { Presentation } from './video/frame-grid.ts';
import { phasedGroups } from './video/phases.ts';
import { rungGroups } from './video/rung-groups.ts';
import { sharedGopSeconds } from './video/rungs.ts';
import { unknownContent } from './video/source-content.ts';

type Input = {
  edit: StreamEdit;
  /** the plan of the whole video */
  base: Plan;
  query: TemplateQuery;
  probe: ProbedSource['probe'];
  /** null for a source without video, or when no video is encoded */
  frames: FrameIndex | null;
  /** the streams after the edit: with the edited one unless it is removed */
  streams: Stream[];
  /** tracks that still play because the edits that replace or remove them wait for this one */
  waiting: { track: string; planNumber: number }[];
  /** the outputs to rebuild, as described by the plans that they were last built from */
  outputs: PlannedOutput[];
};

/**
 * Plans the edit of one stream: its encode on the clock of the video's plan, and the outputs with or without the
 * stream. All other tracks are carried over from the plans that made them.
 */
export function planStreamEdit(given: Input): Plan {
  const input = changeSource(given, given.query);
  const { base } = input;
  const encoded = input.edit.action === 'encode' ? planEncodes(input) : noEncodes;
  const outputs = input.outputs.map((output) => rebuiltOutput(output, input, encoded.streams));
  const used = new Set(outputs.flatMap(({ video, audio }) => [...video, ...audio]));
  const others = [...input.streams, ...input.waiting];
  const carried = others.filter(({ track, planNumber }) => used.has(track) && planNumber !== input.edit.planNumber);
  return {
    ...presentationOf(base),
    aspectRatio: base.aspectRatio,
    source: base.source,
    // The video plays already.
    starter: null,
    groups: encoded.groups,
    audio: encoded.audio,
    streams: encoded.streams,
    outputs,
    thumbnails: null,
    captions: [],
    warnings: [],
    carried: Object.fromEntries(carried.map(({ track, planNumber }) => [track, planNumber])),
    ...(input.probe.part && { part: input.probe.part }),
  };
}

type Encodes = Pick<Plan, 'groups' | 'audio' | 'streams'>;

const noEncodes: Encodes = { groups: [], audio: [], streams: [] };

/** The new track covers what the others do, also where its source is longer. */
const presentationOf = ({ originSeconds, durationSeconds }: Plan): Presentation => ({ originSeconds, durationSeconds });

const planEncodes = (input: Input): Encodes =>
  input.edit.type === 'audio' ? planAudioEncode(input) : planVideoEncode(input);

function planVideoEncode({ edit, base, query, probe, frames }: Input): Encodes {
  if (!probe.video || !frames) throw new JobError('INPUT_UNSUPPORTED', 'The source has no video to encode.');
  const presentation = presentationOf(base);
  const entry = videoEntrySchema.parse(edit.entry);
  const item = singleRung(entry, query.scaling?.fit ?? 'contain', probe.video, presentation.durationSeconds);
  refuseAmplification(probe, { rungs: [item], audioTracks: 0, presentation });
  // that of the other streams, between which and this one players switch
  const rates = [item.frameRate, ...base.groups.map(({ grid }) => grid.frameRate)].map(toNumber);
  const gopSeconds = sharedGopSeconds(entry.gop, Math.min(...rates));
  const variant = { item: { ...item, gopSeconds }, name: item.rung.name, segmentSeconds: edit.segmentSeconds };
  const source = { track: probe.video, frames, formatName: probe.formatName };
  const phased = phasedGroups(rungGroups(source.track, [variant], presentation), {
    starter: null,
    capacity: 1,
    workers: 1,
    content: unknownContent(source.track),
    targetChunkSeconds: query.chunk_duration,
  });
  return { groups: encodeGroups(source, phased), audio: [], streams: [videoStream(variant)] };
}

function planAudioEncode({ edit, base, probe }: Input): Encodes {
  const item = singleRendition(audioEntrySchema.parse(edit.entry), probe.audio);
  if (!item) throw new JobError('INPUT_UNSUPPORTED', 'The source has no audio to encode.');
  refuseAmplification(probe, { rungs: [], audioTracks: 1, presentation: presentationOf(base) });
  const { segmentSeconds } = edit;
  const { name } = item.rendition;
  return {
    groups: [],
    audio: [{ ...item.rendition, segmentSeconds }],
    streams: [audioStream({ item, name, segmentSeconds })],
  };
}

/** The output with the new track, the largest video first, and without the replaced track. */
function rebuiltOutput(output: PlannedOutput, { edit, streams }: Input, encoded: PlannedStream[]): PlannedOutput {
  const added = streams.find(({ ulid }) => ulid === edit.streamUlid);
  // When a plan is made a second time, the output already has the new track.
  const stays = (name: string): boolean => name !== edit.replaced?.track && name !== added?.track;
  const [video, audio] = [output.video.filter(stays), output.audio.filter(stays)];
  if (edit.action === 'remove' || !added) return { ...output, video, audio };
  if (edit.type === 'audio') return { ...output, video, audio: withAudioTrack(output.audio, audio, added.track, edit) };
  const sizes = [...encoded, ...streams];
  const pixels = (name: string): number => {
    const { width, height } = sizes.find((size) => nameOf(size) === name) ?? {};
    return (width ?? 0) * (height ?? 0);
  };
  const position = video.findIndex((name) => pixels(name) < pixels(added.track));
  return { ...output, video: video.toSpliced(position === -1 ? video.length : position, 0, added.track), audio };
}

/** Stored streams are identified by track, planned ones by name. */
const nameOf = (stream: Stream | PlannedStream): string => ('track' in stream ? stream.track : stream.name);

/**
 * A re-encoded audio track keeps its position, because the first one is the default; a new track is added at the end.
 */
function withAudioTrack(before: string[], rest: string[], track: string, { replaced }: StreamEdit): string[] {
  const position = replaced ? before.indexOf(replaced.track) : -1;
  return rest.toSpliced(position === -1 ? rest.length : position, 0, track);
}
