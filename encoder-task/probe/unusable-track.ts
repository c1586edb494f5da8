import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import { frameTooLargeIn } from '../ffmpeg/output/frame-size.ts';
import { codecOf, hasDecoder } from './codec-name.ts';
import type { PacketIndex } from './packet-index.ts';
import { encrypted, isScrambled } from './protection.ts';
import { damagedFile } from './unreadable-file.ts';

/** Facts about a file. `messages` are ffprobe's. */
export type Evidence = { document: ProbeDocument; head: Buffer; messages: string; index: PacketIndex };

/** The tracks of the file; `usable` has the stream indexes of those that can be decoded. */
type Tracks = { video: ProbeStream | undefined; audio: ProbeStream[]; usable: Set<number> };

/**
 * Warnings about audio tracks that are ignored because they cannot be decoded, one sentence each. Throws JobError when
 * the file has a video track that cannot be decoded, or no usable track at all. Tracks without packets are not counted.
 */
export function checkTracks({ video, audio, usable }: Tracks, evidence: Evidence): string[] {
  if (video && !usable.has(video.index)) rejectVideo(video, evidence);
  const unusable = audio.filter(({ index }) => !usable.has(index) && evidence.index.audio.has(index));
  if (usable.size > 0) return unusable.map((stream) => ignored(stream, evidence));
  if (unusable[0]) throw unusableAudio(unusable[0], evidence);
  if (isScrambled(evidence.head)) throw encrypted();
  throw new JobError(
    'INPUT_TRUNCATED',
    'The file has headers but no video or audio data. It may be incomplete. Upload it again.',
  );
}

function rejectVideo(stream: ProbeStream, evidence: Evidence): void {
  const { messages, index } = evidence;
  const tooLarge = frameTooLargeIn(messages);
  if (tooLarge) throw tooLarge;
  if (isScrambled(evidence.head)) throw encrypted();
  // FFmpeg may list no packets of a codec that it cannot decode.
  if (index.video.listed === 0 && hasDecoder(stream)) {
    if (Number(stream.nb_frames) > 0) throw damagedFile();
    return;
  }
  const { name, canBeDecoded } = codecOf(stream, containerOf(evidence));
  if (canBeDecoded) throw damaged('video', name);
  const found = name === null ? 'The video codec is unknown.' : `The video codec ${name} is not supported.`;
  throw new JobError('INPUT_UNSUPPORTED', `${found} Upload the video as H.264, HEVC, VP9 or AV1.`);
}

function unusableAudio(stream: ProbeStream, evidence: Evidence): JobError {
  if (isScrambled(evidence.head)) return encrypted();
  const { name, canBeDecoded } = codecOf(stream, containerOf(evidence));
  if (canBeDecoded) return damaged('audio', name);
  return new JobError('INPUT_UNSUPPORTED', `${unsupportedAudio(name)} Upload the audio as AAC, Opus, MP3 or FLAC.`);
}

function ignored(stream: ProbeStream, evidence: Evidence): string {
  const { name, canBeDecoded } = codecOf(stream, containerOf(evidence));
  const reason = canBeDecoded ? `The audio (${name}) is damaged and cannot be decoded.` : unsupportedAudio(name);
  return `${reason} Track ${stream.index} of the file is ignored.`;
}

const damaged = (kind: 'video' | 'audio', codec: string | null): JobError =>
  new JobError(
    'INPUT_DAMAGED',
    `The ${kind} (${codec}) is damaged and cannot be decoded. Export it again and upload the new file.`,
  );

const unsupportedAudio = (name: string | null): string =>
  name === null ? 'The audio codec is unknown.' : `The audio codec ${name} is not supported.`;

const containerOf = ({ document, head }: Evidence) => ({ formatName: document.format.format_name, head });
