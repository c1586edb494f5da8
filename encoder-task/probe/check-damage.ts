import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import type { Indexed } from './index-packets.ts';
import { isCoverArt } from './public-meta.ts';

/** Players skip a damaged end; a file that lacks more than this of its frames was cut off. */
const bearableLoss = 0.05;
/** Headers round, and count what an edit list hides. */
const bearableSeconds = 1;

type Found = { document: ProbeDocument; video: ProbeStream | undefined; index: Indexed; durationSeconds: number };

/**
 * What is wrong with a file that can be used all the same, a sentence each. MP4 lists its frames ahead of them, so that a file which ends early can be
 * told from a short one: INPUT_TRUNCATED is thrown if it lacks too many.
 */
export function checkDamage({ document, video, index, durationSeconds }: Found): string[] {
  return [
    ...missingFrames(index),
    ...wrongDuration(document, video, durationSeconds),
    ...brokenPackets(index),
    ...unreadRecordings(index),
  ];
}

function missingFrames({ video: { listed }, promisedFrames: promised }: Indexed): string[] {
  if (promised === null || listed >= promised) return [];
  const found = `The file ends early: ${listed} of its ${promised} frames are there.`;
  if (listed < promised * (1 - bearableLoss))
    throw new JobError('INPUT_TRUNCATED', `${found} Upload the whole file again.`);
  return [`${found} The video ends with the last of them.`];
}

/** Containers whose headers state a duration; of others ffprobe makes an estimate. */
const statesDuration = /(^|,)(mov|matroska|flv|avi|asf)(,|$)/;

function wrongDuration(
  { format, streams }: ProbeDocument,
  video: ProbeStream | undefined,
  durationSeconds: number,
): string[] {
  const stated = Number(format.duration);
  if (!statesDuration.test(format.format_name) || !(stated > 0)) return [];
  // a second picture, subtitles or data, of which nothing is made, may last that long
  const unused = streams.filter((stream) => stream !== video && stream.codec_type !== 'audio' && !isCoverArt(stream));
  if (unused.some(({ duration }) => !(Number(duration) < stated - bearableSeconds))) return [];
  const off = Math.abs(stated - durationSeconds);
  if (off <= bearableSeconds || off <= stated * bearableLoss) return [];
  return [
    `The file states a duration of ${seconds(stated)}; it holds ${seconds(durationSeconds)}, which is what counts.`,
  ];
}

const brokenPackets = ({ damagedPackets }: Indexed): string[] =>
  damagedPackets === 0
    ? []
    : [
        `The file is damaged: ${damagedPackets} of its packets are incomplete. The picture or sound may break off there.`,
      ];

const unreadRecordings = ({ endsAtJoint }: Indexed): string[] =>
  endsAtJoint
    ? [
        'The file holds several recordings one after the other. Only the first can be read; upload the others as files of their own.',
      ]
    : [];

const seconds = (value: number): string => `${Math.round(value * 10) / 10} s`;
