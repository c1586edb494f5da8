import { type AudioRole, audioRoles } from '../../shared/protocol/audio-roles.ts';
import type { MuxedTrack } from '../job-results/packaged-track.ts';

/** How manifests describe what a track is for. */
type RoleProperties = {
  /** ISO/IEC 23009-1, 5.8.5.5 */
  dash: string;
  /** in DASH: a term of urn:tva:metadata:cs:AudioPurposeCS:2007 */
  purpose?: number;
  /** in HLS: CHARACTERISTICS */
  characteristic?: string;
  /** a player must not choose such a track because of its language */
  isOptional?: true;
};

const properties: Record<AudioRole, RoleProperties> = {
  description: { dash: 'description', purpose: 1, characteristic: 'public.accessibility.describes-video' },
  'clear-speech': {
    dash: 'enhanced-audio-intelligibility',
    purpose: 2,
    characteristic: 'public.accessibility.enhances-speech-intelligibility',
  },
  commentary: { dash: 'commentary', isOptional: true },
  // DASH has no role for tracks without speech, and none for the original of a dub
  effects: { dash: 'alternate', isOptional: true },
  karaoke: { dash: 'karaoke', isOptional: true },
  dub: { dash: 'dub' },
  original: { dash: 'alternate' },
};

type Track = Pick<MuxedTrack, 'roles'>;

const propertiesOf = ({ roles = [] }: Track): RoleProperties[] =>
  audioRoles.filter((role) => roles.includes(role)).map((role) => properties[role]);

/** The roles of a track in DASH. Players start with the one that is `main`; all others are `alternate` or say more. */
export function dashRoles(track: Track, isMain: boolean): string[] {
  const named = propertiesOf(track).map(({ dash }) => dash);
  // receivers of broadcasts look for `alternate` beside the purpose of a description
  const needsAlternate = named.length === 0 || purposesOf(track).length > 0;
  const first = isMain ? ['main'] : needsAlternate ? ['alternate'] : [];
  return [...new Set([...first, ...named.filter((role) => !isMain || role !== 'alternate')])];
}

/** For whom a track is, in DASH. */
export const purposesOf = (track: Track): number[] => propertiesOf(track).flatMap(({ purpose }) => purpose ?? []);

/** CHARACTERISTICS of a track in HLS; undefined without any. */
export function characteristicsOf(track: Track): string | undefined {
  const found = propertiesOf(track).flatMap(({ characteristic }) => characteristic ?? []);
  return found.length > 0 ? found.join() : undefined;
}

export const isOptional = (track: Track): boolean => propertiesOf(track).some((role) => role.isOptional);
