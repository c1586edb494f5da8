import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import type { Indexed } from './index-packets.ts';
import { isCoverArt } from './public-meta.ts';

/** A file that lacks a larger share of its frames is rejected as cut off. Players tolerate a smaller one. */
const maxMissingShare = 0.05;
/** Headers round the duration, and include what an edit list hides. */
const durationToleranceSeconds = 1;

type Probed = { document: ProbeDocument; video: ProbeStream | undefined; index: Indexed; durationSeconds: number };

/**
 * Warnings about damage of a usable file, one sentence each. The index of an MP4 lists all frames, so that a file which
 * ends early differs from a short one: throws JobError INPUT_TRUNCATED when too many frames are missing.
 */
export function checkDamage({ document, video, index, durationSeconds }: Probed): string[] {
  return [
    ...missingFrames(index),
    ...wrongDuration(document, video, durationSeconds),
    ...brokenPackets(index),
    ...unreadRecordings(index),
    ...otherSpeed(index, video),
  ];
}

function missingFrames({ video: { listed }, declaredFrames: declared }: Indexed): string[] {
  if (declared === null || listed >= declared) return [];
  const found = `The file ends early: it has ${listed} of its ${declared} frames.`;
  if (listed < declared * (1 - maxMissingShare))
    throw new JobError('INPUT_TRUNCATED', `${found} Upload the whole file again.`);
  return [`${found} The video ends after the last of them.`];
}

/** Containers with a duration in their headers; for others ffprobe estimates it. */
const declaresDuration = /(^|,)(mov|matroska|flv|avi|asf|mxf)(,|$)/;

function wrongDuration(
  { format, streams }: ProbeDocument,
  video: ProbeStream | undefined,
  durationSeconds: number,
): string[] {
  const declaredSeconds = Number(format.duration);
  if (!declaresDuration.test(format.format_name) || !(declaredSeconds > 0)) return [];
  // the duration may be that of a stream which is not used, such as a second video, subtitles or data
  const unused = streams.filter((stream) => stream !== video && stream.codec_type !== 'audio' && !isCoverArt(stream));
  // all tracks of an MXF have the same length
  const isShared = format.format_name === 'mxf';
  if (!isShared && unused.some(({ duration }) => !(Number(duration) < declaredSeconds - durationToleranceSeconds)))
    return [];
  const off = Math.abs(declaredSeconds - durationSeconds);
  if (off <= durationToleranceSeconds || off <= declaredSeconds * maxMissingShare) return [];
  return [
    `The file declares a duration of ${seconds(declaredSeconds)}, but contains ${seconds(durationSeconds)}, which is used.`,
  ];
}

const brokenPackets = ({ damagedPackets }: Indexed): string[] =>
  damagedPackets === 0
    ? []
    : [
        `The file is damaged: ${damagedPackets} of its packets are incomplete. Video or audio may be interrupted there.`,
      ];

const unreadRecordings = ({ endsAtNextRecording }: Indexed): string[] =>
  endsAtNextRecording
    ? [
        'The file contains several recordings one after another. Only the first can be read; upload the others as separate files.',
      ]
    : [];

/** FFmpeg ignores the speed of the parts of an edit list. */
function otherSpeed({ movie, audio }: Indexed, video: ProbeStream | undefined): string[] {
  const used = [...(video ? [video.index] : []), ...audio.keys()];
  const edits = used.flatMap((index) => movie?.tracks[index]?.edits ?? []);
  const speed = edits.find((edit) => edit.speed !== undefined)?.speed;
  if (speed === undefined) return [];
  return [
    `A part of the file should be played at ${Math.round(speed * 100) / 100} × its speed. It is played at normal speed.`,
  ];
}

const seconds = (value: number): string => `${Math.round(value * 10) / 10} s`;
