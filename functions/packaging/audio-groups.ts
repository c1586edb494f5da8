import { numberedName } from '../common/numbered-name.ts';
import { codecFamily, displayLabel, languageTag, type MuxedTrack } from '../job-results/packaged-track.ts';
import { characteristicsOf, isOptional } from './audio-role-properties.ts';

/** The tracks of a rendition group, the default one first. */
export type AudioGroup<Track extends MuxedTrack = MuxedTrack> = { id: string; tracks: Track[] };

/**
 * One group for each codec and number of channels, so that a player that has two loudspeakers neither loads 5.1 nor
 * reserves bandwidth for it. Each group of a codec has every track of the source that the codec has (RFC 8216,
 * 4.3.4.1.1), with the nearest number of channels where its own is missing.
 */
export const audioGroups = <Track extends MuxedTrack>(audio: Track[]): AudioGroup<Track>[] =>
  [...Map.groupBy(audio, codecFamily)].flatMap(([family, tracks]) => groupsOfCodec(`audio-${family}`, tracks));

/** The encodes in one group, by the track of the source that they were made from. */
type Members<Track> = { channels: number; bySource: Map<string, Track> };

function groupsOfCodec<Track extends MuxedTrack>(id: string, tracks: Track[]): AudioGroup<Track>[] {
  const encodes = Map.groupBy(tracks, sourceOf);
  const filled = membersOf(tracks).map(({ channels, bySource }) => ({
    channels,
    tracks: [...encodes].map(([source, all]) => bySource.get(source) ?? nearest(all, channels, channelsOf)!),
  }));
  const distinct = filled.filter(
    (group, index) => !filled.slice(0, index).some((other) => hasSameItems(other.tracks, group.tracks)),
  );
  const ids = new Set<string>();
  return distinct.map((group) => ({
    id: distinct.length === 1 ? id : numberedName(`${id}-${group.channels}`, ids),
    tracks: group.tracks,
  }));
}

/**
 * A template may ask for the same codec in stereo and 5.1, of a source in stereo: two encodes of one track with the
 * same number of channels. They are never in one group, whose tracks viewers choose from.
 */
function membersOf<Track extends MuxedTrack>(tracks: Track[]): Members<Track>[] {
  const groups: Members<Track>[] = [];
  const others: Track[] = [];
  const add = (track: Track, group: Members<Track> | undefined): void => {
    const joined = group ?? { channels: channelsOf(track), bySource: new Map() };
    joined.bySource.set(sourceOf(track), track);
    if (!group) groups.push(joined);
  };
  for (const track of tracks) {
    const group = groups.find(({ channels }) => channels === channelsOf(track));
    if (group?.bySource.has(sourceOf(track))) others.push(track);
    else add(track, group);
  }
  for (const track of others) {
    const free = groups.filter(({ bySource }) => !bySource.has(sourceOf(track)));
    add(
      track,
      nearest(free, channelsOf(track), ({ channels }) => channels),
    );
  }
  return groups;
}

/** Encodes of the same sound have the same. */
export const sourceOf = ({ chosenTrack, sourceStreamIndex, name }: MuxedTrack): string =>
  chosenTrack === undefined ? String(sourceStreamIndex ?? name) : `chosen ${chosenTrack}`;

const channelsOf = ({ channels = 2 }: MuxedTrack): number => channels;

const nearest = <Item>(items: Item[], channels: number, channelsIn: (item: Item) => number): Item | undefined =>
  items.toSorted((a, b) => Math.abs(channelsIn(a) - channels) - Math.abs(channelsIn(b) - channels))[0];

const hasSameItems = <Item>(a: Item[], b: Item[]): boolean => a.every((item, index) => item === b[index]);

type Listed<Track> = { track: Track; name: string; isDefault: boolean; isAutomatic: boolean };

/**
 * RFC 8216, 4.3.4.1.1: one default in each group, unique names, and AUTOSELECT for one track of each language and
 * purpose. Viewers choose commentaries themselves.
 */
export function listedTracks<Track extends MuxedTrack>({ tracks }: AudioGroup<Track>): Listed<Track>[] {
  const names = new Set<string>();
  const selectable = new Set<string>();
  return tracks.map((track, index) => {
    const isDefault = index === 0;
    const purpose = `${languageTag(track)} ${characteristicsOf(track) ?? ''}`;
    const isAutomatic = isDefault || (!isOptional(track) && !selectable.has(purpose));
    if (isAutomatic) selectable.add(purpose);
    return { track, name: numberedName(displayLabel(track), names), isDefault, isAutomatic };
  });
}
