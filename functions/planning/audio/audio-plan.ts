import { audioCodecProperties } from '../../../shared/media/codecs.ts';
import type { AudioRole } from '../../../shared/protocol/audio-roles.ts';
import type { AudioRendition } from '../../../shared/protocol/encode-spec.ts';
import { numberedName } from '../../common/numbered-name.ts';
import { parseBitrate } from '../../templates/bitrate.ts';
import type { AudioEntry } from '../../templates/query-structure.ts';
import { mixingOf } from './audio-mix.ts';
import { areChosen, type SourceAudio } from './join-mono.ts';

/** A source track as encoded by one template entry, before the segment lengths of the outputs are known. */
export type PlannedAudio = {
  entry: AudioEntry;
  track: SourceAudio;
  rendition: Omit<AudioRendition, 'segmentSeconds'>;
  /** for the uploader, where channels without a layout or beyond the rendition's layout were mixed */
  warning: string | null;
};

/** One rendition for each track that the entry selects, the main track of the source first. */
export function planAudio(entry: AudioEntry, tracks: SourceAudio[], takenNames: Set<string>): PlannedAudio[] {
  const candidates = tracksFor(entry.languages, tracks);
  const chosen = entry.languages === 'default' ? candidates.slice(0, 1) : candidates;
  return chosen.map((track) => {
    const name = numberedName(chosen.length === 1 ? entry.name : nameOf(entry, track), takenNames);
    const { mix, warning, ...mixed } = mixingOf(
      track,
      Math.min(entry.channels, track.chosen?.maxChannels ?? entry.channels),
    );
    const channels = encodable(mixed.channels, entry);
    return {
      entry,
      track,
      warning,
      rendition: {
        name,
        streamIndex: track.streamIndex,
        ...(track.joined && { joined: track.joined }),
        ...(track.chosen && { chosenTrack: track.chosen.position }),
        codec: entry.codec,
        bitrateBps: bitrateOf(entry, channels),
        channels,
        ...(mix && { mix }),
        sampleRateHz: audioCodecProperties[entry.codec].fixedSampleRateHz ?? entry.sample_rate,
        language: track.language,
        ...(track.title !== undefined && { label: track.title }),
        ...(track.roles && { roles: track.roles }),
        loudnessLufs: entry.loudness,
      },
    };
  });
}

/** Names of tracks in results of workers have at most 64 characters. Others of the same name get a number. */
const maxNameLength = 60;

const nameOf = ({ name }: AudioEntry, { language, roles = [] }: SourceAudio): string =>
  [name, language.toLowerCase(), ...asideRoles.filter((role) => roles.includes(role))]
    .join('-')
    .slice(0, maxNameLength);

/** Tracks with these roles are for some viewers only: players start with another one, whatever the file says. */
const asideRoles: readonly AudioRole[] = ['description', 'commentary', 'clear-speech', 'effects', 'karaoke'];

/** The language code `zxx` means sound without speech. */
export const isAside = ({ roles = [], language }: Pick<SourceAudio, 'roles' | 'language'>): boolean =>
  language === 'zxx' || asideRoles.some((role) => roles.includes(role));

/** The tracks that an entry may use, the main one first: the one for all viewers that the file marks as default. */
export function tracksFor(languages: AudioEntry['languages'], tracks: SourceAudio[]): SourceAudio[] {
  const mainFirst = areChosen(tracks)
    ? tracks
    : [...tracks].sort((a, b) => Number(isAside(a)) - Number(isAside(b)) || Number(b.isDefault) - Number(a.isDefault));
  if (typeof languages === 'string') return mainFirst;
  const matching = mainFirst.filter(({ language }) => languages.some((tag) => covers(tag, language)));
  return matching.length > 0 ? matching : mainFirst.slice(0, 1);
}

/** `en` matches en-GB too, `en-GB` matches only itself; `eng` and `en` are equal. */
export function covers(tag: string, language: string): boolean {
  const [asked, given] = [canonical(tag), canonical(language)];
  return asked === given || given.startsWith(`${asked}-`);
}

function canonical(tag: string): string {
  try {
    return (Intl.getCanonicalLocales(tag)[0] ?? tag).toLowerCase();
  } catch {
    return tag.toLowerCase();
  }
}

function encodable(channels: number, { codec }: AudioEntry): number {
  const fallbacks: Readonly<Record<number, number>> = audioCodecProperties[codec].channelFallbacks;
  return fallbacks[channels] ?? channels;
}

function bitrateOf({ bitrate, codec }: AudioEntry, channels: number): number {
  const { min, max } = audioCodecProperties[codec].bitrateBpsPerChannel;
  return Math.min(max * channels, Math.max(min * channels, parseBitrate(bitrate)));
}
