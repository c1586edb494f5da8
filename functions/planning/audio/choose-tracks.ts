import { type AskedTracks, missingTrack } from '../../../shared/protocol/asked-tracks.ts';
import type { SourcePart } from '../../../shared/protocol/encode-spec.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { AudioTrack, ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { joinedTracks, type Tracks } from '../../templates/query-structure.ts';
import { joinTracks, type SourceAudio } from './join-mono.ts';

/** The tracks that a probe has to find, where a template names some. */
export function askedTracks({ video = 'auto', audio = 'auto' }: Partial<Tracks> = {}): AskedTracks | undefined {
  if (video === 'auto' && audio === 'auto') return undefined;
  return {
    ...(video !== 'auto' && { video }),
    ...(audio !== 'auto' && { audio: [...new Set(audio.flatMap(({ from }) => from))] }),
  };
}

/**
 * The audio tracks of a source as a template chooses and joins them, in its order. A track that the source does not
 * have is left out; `requireTracks` says so before anything is encoded.
 */
export function chosenAudio(tracks: readonly AudioTrack[], { audio = 'auto' }: Partial<Tracks> = {}): SourceAudio[] {
  if (audio === 'auto') return [...tracks];
  return audio.flatMap(({ from, as, language, name }, index) => {
    const parts = from.flatMap((number) => tracks.find(({ streamIndex }) => streamIndex === number) ?? []);
    const [first, second] = parts;
    if (!first || parts.length < from.length) return [];
    return {
      ...(second ? joinTracks(parts, parts.length === joinedTracks['5.1'] ? '5.1' : 'stereo') : first),
      ...(language !== undefined && { language }),
      ...(name !== undefined && { title: name }),
      isDefault: index === 0,
      chosen: { position: index, maxChannels: { mono: 1, stereo: 2, '5.1': 6 }[as] },
    };
  });
}

/** @throws JobError INPUT_TRACK_MISSING for a source, or a part of one, without a track that a template names */
export function requireTracks(
  { video, audio, meta, part }: ProbeResult & { part?: SourcePart },
  tracks: Tracks | undefined,
): void {
  const asked = askedTracks(tracks);
  if (asked?.video !== undefined && asked.video !== video?.streamIndex) {
    throw new JobError('INTERNAL', 'The probe has found another video track than the template names.');
  }
  const missing = asked?.audio?.find((number) => audio.every(({ streamIndex }) => streamIndex !== number));
  if (missing === undefined) return;
  const found = (meta.streams ?? []).filter(({ codec_type: kind }) => kind === 'audio').map(({ index }) => index);
  if (!found.includes(missing)) throw missingTrack('audio', missing, found);
  const why = part ? 'has no sound in the clip, or cannot be decoded' : 'cannot be decoded';
  const message = `Audio track ${missing} of the file ${why}. Choose another one.`;
  throw new JobError('INPUT_TRACK_MISSING', message);
}
