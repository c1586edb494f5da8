import type { Watermark } from '../../shared/media/watermark.ts';
import { type Decision, maxDecisions } from '../../shared/protocol/decisions.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeResult, VideoTrack } from '../../shared/protocol/probe-result.ts';
import type { TemplateQuery } from '../templates/template-query.ts';
import { audioDecisions } from './audio/audio-decisions.ts';
import type { PlannedAudio } from './audio/audio-plan.ts';
import { chosenAudio, requireTracks } from './audio/choose-tracks.ts';
import { planCaptions } from './caption-plan.ts';
import type { Plan } from './encoding-plan.ts';
import type { ProbedSource } from './narrow-to-clip.ts';
import { refuseAmplification } from './output-budget.ts';
import { planTracks, refuseTooManySegments, type Variants, withCopies } from './plan-tracks.ts';
import { audioStream, videoStream } from './planned-stream.ts';
import { extendedTracks } from './presentation/extended-tracks.ts';
import { encodedSpans, presentationOf, presentationOfVideo } from './presentation/presentation.ts';
import { planQuality } from './quality/quality-plan.ts';
import { planThumbnails } from './thumbnail-plan.ts';
import { changeSource, pictureDecisions } from './video/change-picture.ts';
import { aspectRatio, displaySize } from './video/display-size.ts';
import { type EncodeGroup, encodeGroups } from './video/encode-groups.ts';
import type { Presentation } from './video/frame-grid.ts';
import { rateDecisions } from './video/frame-rate.ts';
import { phasedGroups } from './video/phases.ts';
import { rungGroups } from './video/rung-groups.ts';
import { levelDecisions, type PlannedRung } from './video/rungs.ts';
import { colorDecisions } from './video/source-color.ts';
import { sourceContent } from './video/source-content.ts';
import { chooseStarter, coldStartSeconds, type Starter } from './video/starter.ts';
import { transparencyDecisions, videoSource } from './video/video-source.ts';

type Source = ProbedSource & {
  query: TemplateQuery;
  /** estimated CPU seconds of encodes that the workers can do in a second for this video */
  capacity: number;
  /** how many jobs of this video can run at the same time */
  workers?: number;
  /** whether only the early worker is running: the others start now */
  isColdStart?: boolean;
  /** that of the query, with its image */
  watermark?: Watermark;
};

/**
 * Plans all encodes of a source from its packet times; durations in headers are ignored. `frames` is null only for a
 * source without video.
 * @throws JobError INPUT_TOO_LARGE for a source that exceeds the limits of playlists and jobs, or whose outputs would
 *   be far larger than it is; INPUT_CROP_EMPTY; INPUT_TRACK_MISSING
 */
export function planVideo(given: Source): Plan {
  const { query, capacity, workers = 1, isColdStart = false, watermark } = given;
  requireTracks(given.probe, query.tracks);
  const audio = chosenAudio(given.probe.audio, query.tracks);
  const { probe, frames } = changeSource({ ...given, probe: { ...given.probe, audio } }, query);
  const tracks = planTracks(probe, query);
  const spans = encodedSpans(probe, tracks.variants);
  const whole = presentationOf(spans) ?? { originSeconds: 0, durationSeconds: probe.durationSeconds };
  const ofCopies = presentationOfVideo(spans, whole);
  const copies = withCopies(tracks, { video: probe.video, frames, presentation: ofCopies }, query);
  const presentation = copies.tracks.variants.video.some(({ item }) => item.rung.copied) ? ofCopies : whole;
  const extended = extendedTracks(spans, presentation);
  const { rungs, renditions, variants, outputs } = copies.tracks;
  refuseAmplification(probe, {
    rungs: variants.video.map(({ item }) => item),
    audioTracks: spans.filter(({ kind }) => kind === 'audio').length,
    presentation,
  });
  refuseTooManySegments(presentation.durationSeconds, variants);
  const chosen = chooseStarter(outputs, variants.video);
  const starter = chosen && isColdStart ? { ...chosen, aheadSeconds: coldStartSeconds } : chosen;
  const groups = groupsOf(
    { probe, frames, query, capacity, workers },
    { variants: variants.video, presentation, starter },
  );
  const source = probe.video && {
    ...videoSource(probe.video, probe, query.scaling?.background),
    ...(watermark && { watermark }),
  };
  const quality =
    query.ladder?.mode === 'quality' && probe.video && source && frames
      ? planQuality({ source, groups, variants: variants.video, presentation }, { track: probe.video, frames })
      : undefined;
  const { captions, warnings, decisions } = planCaptions(probe, query);
  return {
    ...presentation,
    aspectRatio: probe.video && aspectRatio(displaySize(probe.video)),
    source,
    starter,
    groups,
    audio: variants.audio.map(({ item, name, segmentSeconds }) => ({ ...item.rendition, name, segmentSeconds })),
    streams: [...variants.video.map(videoStream), ...variants.audio.map(audioStream)],
    outputs,
    thumbnails:
      source && probe.video && frames && query.thumbnails
        ? planThumbnails(query.thumbnails, source, { track: probe.video, frames }, presentation)
        : null,
    captions,
    ...(quality && { quality }),
    warnings: [
      ...planWarnings(query, probe, { rungs, renditions }),
      ...extended.warnings,
      ...copies.warnings,
      ...warnings,
    ],
    decisions: [
      ...probe.decisions,
      ...extended.decisions,
      ...(probe.video ? videoDecisions(probe.video, rungs, query) : []),
      ...audioDecisions(probe.audio, variants.audio),
      ...decisions,
    ].slice(0, maxDecisions),
    carried: {},
    ...(probe.part && { part: probe.part }),
  };
}

const videoDecisions = (track: VideoTrack, rungs: PlannedRung[], { scaling, picture }: TemplateQuery): Decision[] => [
  ...pictureDecisions(track, picture),
  ...rateDecisions(track, rungs),
  ...transparencyDecisions(track, scaling?.background),
  ...colorDecisions(track),
  ...levelDecisions(rungs),
];

type Encodes = { variants: Variants['video']; presentation: Presentation; starter: Starter | null };

function groupsOf(
  { probe, frames, query, capacity, workers }: Required<Omit<Source, 'isColdStart' | 'watermark'>>,
  { variants, presentation, starter }: Encodes,
): EncodeGroup[] {
  if (!probe.video || variants.length === 0) return [];
  if (frames?.ptsDeltas.length !== probe.video.frameCount) {
    throw new JobError('INTERNAL', 'The frame index does not match the video track.');
  }
  const source = { track: probe.video, frames, formatName: probe.formatName };
  const groups = rungGroups(probe.video, variants, presentation);
  return encodeGroups(
    source,
    phasedGroups(groups, {
      starter,
      capacity,
      workers,
      content: sourceContent(probe.video, frames),
      targetChunkSeconds: query.chunk_duration,
    }),
  );
}

/** Notes for the uploader on what differs from the template, one sentence each. */
function planWarnings(
  query: TemplateQuery,
  probe: ProbeResult,
  { rungs, renditions }: { rungs: PlannedRung[]; renditions: PlannedAudio[] },
): string[] {
  const asksForVideo = query.ladder !== undefined || query.video.length > 0;
  return [
    ...probe.warnings,
    ...(asksForVideo && !probe.video ? ['The source has no video: video streams are left out.'] : []),
    ...(query.audio.length > 0 && probe.audio.length === 0
      ? [`The source has no audio${hasAudio(probe) ? ' that can be used' : ''}: audio streams are left out.`]
      : []),
    ...(probe.video ? pictureDecisions(probe.video, query.picture).map(({ message }) => message) : []),
    ...new Set(renditions.flatMap(({ warning }) => warning ?? [])),
    ...rungs.flatMap(({ rung, duplicates }) =>
      duplicates.map((name) => `${name} is left out: for this source it is identical to ${rung.name}.`),
    ),
    ...rungs
      .filter(({ entry }) => entry.two_pass && entry.crf !== undefined)
      .map(({ rung }) => `${rung.name} is encoded in one pass: two_pass has no effect with a crf.`),
  ];
}

/** Whether the file has audio tracks, also if none can be decoded. */
const hasAudio = ({ meta }: ProbeResult): boolean =>
  (meta.streams ?? []).some(({ codec_type: kind }) => kind === 'audio');
