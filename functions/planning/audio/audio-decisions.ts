import type { AudioRole } from '../../../shared/protocol/audio-roles.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { AudioTrack } from '../../../shared/protocol/probe-result.ts';
import type { Variant } from '../stream-variants.ts';
import { type PlannedAudio, tracksFor } from './audio-plan.ts';
import { areChosen, joinMonoTracks, type SourceAudio } from './join-mono.ts';

/**
 * What was decided about the audio tracks of a source, of which `encoded` has some, the main one first. Nothing where
 * the template has chosen them.
 */
export function audioDecisions(tracks: AudioTrack[], encoded: Pick<Variant<PlannedAudio>, 'item'>[]): Decision[] {
  const [main, ...others] = encoded.map(({ item }) => item);
  if (!main || areChosen(tracks)) return [];
  const sources = joinMonoTracks(tracks);
  const streams = new Set([main, ...others].map(({ track }) => track.streamIndex));
  const used = sources.filter(({ streamIndex }) => streams.has(streamIndex));
  const unused = sources.filter((track) => !used.includes(track)).flatMap(streamsOf);
  const known = new Set(sources.flatMap(streamsOf));
  return [
    ...used.flatMap(joinedDecision),
    ...chosenDecision(tracksFor(main.entry.languages, sources)),
    ...leftOutDecision(
      tracks.filter(({ streamIndex }) => unused.includes(streamIndex)),
      'no output of the template asks for it',
      'no output of the template asks for them',
    ),
    ...leftOutDecision(
      tracks.filter(({ streamIndex }) => !known.has(streamIndex)),
      'it is mono, and the stereo sound is made of the first two mono tracks',
      'they are mono, and the stereo sound is made of the first two mono tracks',
    ),
  ];
}

const streamsOf = ({ streamIndex, joined = [streamIndex] }: SourceAudio): number[] => joined;

function joinedDecision({ joined, channels, channelLayout }: SourceAudio): Decision[] {
  if (!joined) return [];
  const message = `Audio tracks ${list(joined.map(String))} are mono and equally long: they are the channels of one track in ${channelLayout}.`;
  return [{ code: 'audio_tracks_joined', message, facts: { streams: joined, channels } }];
}

/** Nothing is decided where the file marks one track as default, and that is used. */
function chosenDecision(candidates: SourceAudio[]): Decision[] {
  const [main, ...others] = candidates as [SourceAudio, ...SourceAudio[]];
  const marked = candidates.filter(({ isDefault }) => isDefault);
  if (others.length === 0 || (marked.length === 1 && main.isDefault)) return [];
  const [overruled] = marked;
  const why =
    overruled && !main.isDefault
      ? `the default track ${overruled.streamIndex} is ${purposeOf(overruled)}`
      : overruled
        ? `it is the first of the ${marked.length} tracks that the file marks as default`
        : `the file marks none of the ${candidates.length} tracks as default, and it comes first`;
  const reason = overruled && !main.isDefault ? 'role' : 'order';
  return [
    {
      code: 'audio_track_chosen',
      message: `Audio track ${nameOf(main)} is the main one: ${why}.`,
      facts: { stream: main.streamIndex, reason },
    },
  ];
}

const purposes: Partial<Record<AudioRole, string>> = {
  description: 'an audio description',
  commentary: 'a commentary',
  'clear-speech': 'for viewers who cannot hear well',
  effects: 'without speech',
  karaoke: 'for karaoke',
};

const purposeOf = ({ roles = [] }: SourceAudio): string =>
  roles.flatMap((role) => purposes[role] ?? [])[0] ?? 'without speech';

function leftOutDecision(tracks: AudioTrack[], ofOne: string, ofSeveral: string): Decision[] {
  if (tracks.length === 0) return [];
  const message =
    tracks.length === 1
      ? `Audio track ${nameOf(tracks[0]!)} is left out: ${ofOne}.`
      : `Audio tracks ${list(tracks.map(nameOf))} are left out: ${ofSeveral}.`;
  return [{ code: 'audio_track_left_out', message, facts: { streams: tracks.map(({ streamIndex }) => streamIndex) } }];
}

const nameOf = ({ streamIndex, language }: AudioTrack): string =>
  language === 'und' ? String(streamIndex) : `${streamIndex} (${language})`;

/** A message has at most 300 characters. */
const maxListed = 4;

const list = (items: string[]): string =>
  new Intl.ListFormat('en').format(
    items.length > maxListed + 2 ? [...items.slice(0, maxListed), `${items.length - maxListed} others`] : items,
  );
