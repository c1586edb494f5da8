import type { CaptionKind } from '../../shared/captions/cue.ts';
import type { Decision } from '../../shared/protocol/decisions.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import type { TextTrack } from '../../shared/protocol/text-tracks.ts';
import type { TemplateQuery } from '../templates/query-structure.ts';
import { covers } from './audio/audio-plan.ts';
import type { PlannedCaption } from './encoding-plan.ts';

type Source = Pick<ProbeResult, 'textTracks' | 'chapterCount'>;
type Planned = { captions: PlannedCaption[]; warnings: string[]; decisions: Decision[] };

/**
 * The captions to make of the text tracks and the chapters of a source, one for each language and kind: the default
 * track, otherwise the first; a commentary only where there is nothing else. At most one is the default of the video: a
 * forced one, which shows only what every viewer needs. Muxers flag the first track as default, and MOV every enabled
 * one, so the flag alone does not mean that viewers shall see it.
 */
export function planCaptions(source: Source, query: TemplateQuery): Planned {
  const embedded = query.captions?.embedded ?? 'all';
  if (embedded === 'none') return { captions: [], warnings: [], decisions: [] };
  const { textTracks = [], chapterCount = 0 } = source;
  const asked = textTracks.filter(
    ({ language }) => embedded === 'all' || embedded.some((tag) => covers(tag, language)),
  );
  const byCaption = Map.groupBy(asked, (track) => `${track.language} ${kindOf(track)}`);
  const chosen = [...byCaption.values()].map(mainOf);
  const others = asked.filter((track) => !chosen.includes(track));
  const defaultTrack = chosen.find((track) => track.isDefault && kindOf(track) === 'forced');
  return {
    captions: [
      ...chosen.map((track) => captionOf(track, track === defaultTrack)),
      ...(chapterCount > 0 ? [chapters] : []),
    ],
    warnings: others.map(leftOut),
    decisions: others.length > 0 ? [sameLanguage(others)] : [],
  };
}

function mainOf(tracks: TextTrack[]): TextTrack {
  const forAll = tracks.filter(({ isCommentary }) => !isCommentary);
  const candidates = forAll.length > 0 ? forAll : tracks;
  return candidates.find(({ isDefault }) => isDefault) ?? candidates[0]!;
}

function sameLanguage(others: TextTrack[]): Decision {
  const streams = others.map(({ streamIndex }) => streamIndex);
  const which = streams.length === 1 ? `Text track ${streams[0]} is` : `${streams.length} text tracks are`;
  return {
    code: 'text_track_left_out',
    message: `${which} left out: another track has the same language and kind.`,
    facts: { streams: streams.slice(0, 64), reason: 'language' },
  };
}

/** Players show forced texts to everyone, so a commentary cannot be one. */
const kindOf = ({ isForced, isForDeaf, isCommentary }: TextTrack): CaptionKind =>
  isForced && !isCommentary ? 'forced' : isForDeaf ? 'captions' : 'subtitles';

const captionOf = (track: TextTrack, isDefault: boolean): PlannedCaption => ({
  track: { streamIndex: track.streamIndex, codec: track.codec },
  language: track.language,
  kind: kindOf(track),
  label: track.title,
  isDefault,
});

/** Containers do not name the language of chapters. */
const chapters: PlannedCaption = {
  track: null,
  language: 'und',
  kind: 'chapters',
  label: 'Chapters',
  isDefault: false,
};

const leftOut = (track: TextTrack): string =>
  `Text track ${track.streamIndex} is left out, because another track has the same language (${track.language}) and kind (${kindOf(track)}).`;

/** The name of the file that a worker makes of a planned caption. */
export const captionFile = (index: number): string => `${index}.vtt`;
