import { parseRational, toNumber } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';
import { hasDecoder } from '../codec-name.ts';
import { isEnhancementLayer } from './dolby-vision.ts';
import { lacksParameters } from './late-parameters.ts';
import type { Survey } from './packet-survey.ts';

/** A video track, with NaN for what is unknown before its packets are read. */
type Candidate = { stream: ProbeStream; frames: number; seconds: number };

type Rule = {
  reason: string;
  /** why a track with a lower score than another one is not encoded */
  leftOut: string;
  /** the track could have been meant; otherwise it is no video for viewers */
  isAlternative: boolean;
  score: (candidate: Candidate, most: { frames: number; seconds: number }) => number;
};

/** A track with a smaller share of the frames of another one is a thumbnail, or a preview with a few pictures. */
const minShareOfFrames = 0.05;
/** Tracks of almost the same length are parts of one recording. */
const minShareOfLength = 0.9;

const auxiliaryName = /\b(depth|disparity|alpha|matte|gain ?map|thumbnails?)\b/i;
/** Sample entries of Apple's cinematic videos: disparity and depth. */
const auxiliaryTags = new Set(['dish', 'dihd', 'depi']);

const isAuxiliary = (stream: ProbeStream): boolean =>
  auxiliaryTags.has(stream.codec_tag_string ?? '') ||
  auxiliaryName.test(`${stream.tags?.title ?? ''} ${stream.tags?.handler_name ?? ''}`) ||
  ['timed_thumbnails', 'dependent'].some((flag) => stream.disposition?.[flag] === 1) ||
  isEnhancementLayer(stream);

/** Such as a video with a signer beside the one without. */
const hasOtherRole = ({ disposition }: ProbeStream): boolean =>
  ['comment', 'hearing_impaired', 'visual_impaired'].some((flag) => disposition?.[flag] === 1);

/** In this order: the first rule that distinguishes two tracks decides between them. */
const rules: Rule[] = [
  {
    reason: 'auxiliary',
    leftOut: 'a depth map or another picture that is not meant for viewers',
    isAlternative: false,
    score: ({ stream }) => Number(!isAuxiliary(stream)),
  },
  {
    reason: 'unsupported',
    leftOut: 'cannot be decoded',
    isAlternative: false,
    score: ({ stream, frames }) =>
      Number(stream.codec_type === 'video' && hasDecoder(stream) && !lacksParameters(stream) && frames !== 0),
  },
  {
    reason: 'pictures',
    leftOut: 'only a few pictures',
    isAlternative: false,
    score: ({ frames }, most) => Number(frames >= minShareOfFrames * most.frames),
  },
  {
    reason: 'role',
    leftOut: 'marked as an alternative for some viewers',
    isAlternative: true,
    score: ({ stream }) => Number(!hasOtherRole(stream)),
  },
  {
    reason: 'default',
    leftOut: 'disabled, or not the default track',
    isAlternative: true,
    score: ({ stream }) => stream.disposition?.default ?? 0,
  },
  {
    reason: 'length',
    leftOut: 'shorter',
    isAlternative: true,
    score: ({ seconds }, most) => Number(seconds >= minShareOfLength * most.seconds),
  },
  {
    reason: 'size',
    leftOut: 'a smaller picture',
    isAlternative: true,
    score: ({ stream: { width = 0, height = 0 } }) => width * height,
  },
  {
    reason: 'order',
    leftOut: 'a later track of the same kind',
    isAlternative: true,
    score: ({ stream }) => -stream.index,
  },
];

type LeftOut = { stream: ProbeStream; rule: Rule };
export type VideoChoice = { video: ProbeStream | undefined; leftOut: LeftOut[] };

/**
 * Chooses the video track that is encoded. Without a survey of the packets it is a guess from the headers, which saves
 * reading the file for another track where it is right.
 */
export function chooseVideo(tracks: ProbeStream[], survey?: Survey): VideoChoice {
  let remaining = tracks.map((stream) => candidateOf(stream, survey));
  const leftOut: LeftOut[] = [];
  for (const rule of rules) {
    const most = { frames: greatest(remaining, 'frames'), seconds: greatest(remaining, 'seconds') };
    const scores = remaining.map((candidate) => rule.score(candidate, most));
    const best = Math.max(...scores);
    leftOut.push(...remaining.filter((_, n) => scores[n] !== best).map(({ stream }) => ({ stream, rule })));
    remaining = remaining.filter((_, n) => scores[n] === best);
  }
  return { video: remaining[0]?.stream, leftOut };
}

/** NaN when one of them is unknown: no candidate is preferred then. */
const greatest = (candidates: Candidate[], measure: 'frames' | 'seconds'): number =>
  Math.max(...candidates.map((candidate) => candidate[measure]));

function candidateOf(stream: ProbeStream, survey: Survey | undefined): Candidate {
  if (!survey) {
    return { stream, frames: Number(stream.nb_frames ?? Number.NaN), seconds: Number(stream.duration ?? Number.NaN) };
  }
  const { packets, startPts, endPts } = survey.get(stream.index) ?? { packets: 0, startPts: 0, endPts: 0 };
  const timeBase = parseRational(stream.time_base);
  return { stream, frames: packets, seconds: timeBase ? (endPts - startPts) * toNumber(timeBase) : 0 };
}

/** What was decided between several video tracks, and a warning where viewers may miss one. */
export function describeChoice({ video, leftOut }: VideoChoice): { decisions: Decision[]; warnings: string[] } {
  if (!video) return { decisions: [], warnings: [] };
  const alternatives = leftOut.filter(({ rule }) => rule.isAlternative);
  const byRule = Map.groupBy(
    leftOut.filter(({ rule }) => !rule.isAlternative),
    ({ rule }) => rule,
  );
  const chosen = alternatives.length > 0 ? [chosenAmong(video, alternatives)] : [];
  return {
    decisions: [...chosen, ...[...byRule].map(([rule, tracks]) => leftOutBy(rule, tracks))],
    warnings: chosen.map(({ message }) => message),
  };
}

function chosenAmong({ index }: ProbeStream, others: LeftOut[]): Decision {
  const [first] = others;
  const why =
    others.length === 1
      ? `Track ${first!.stream.index} is left out: ${first!.rule.leftOut}.`
      : 'The others are left out.';
  return {
    code: 'video_track_chosen',
    message: `The file has ${others.length + 1} video tracks, of which one is encoded: track ${index}. ${why}`,
    facts: { stream: index, ...listed(others), reason: first!.rule.reason },
  };
}

function leftOutBy({ reason, leftOut }: Rule, tracks: LeftOut[]): Decision {
  const { streams } = listed(tracks);
  const which = streams.length === 1 ? `Video track ${streams[0]} is` : `Video tracks ${streams.join(', ')} are`;
  return {
    code: 'video_track_left_out',
    message: `${which} left out: ${leftOut}.`,
    facts: { streams, reason },
  };
}

const listed = (tracks: LeftOut[]): { streams: number[] } => ({
  streams: tracks
    .map(({ stream }) => stream.index)
    .sort((a, b) => a - b)
    .slice(0, 20),
});
