import { videoCodecProperties } from '../../../../shared/media/codecs.ts';
import { toNumber } from '../../../../shared/media/rational.ts';
import { sourceRange } from '../../../../shared/media/video-range.ts';
import { copyObstacles, copyProfiles } from '../../../../shared/protocol/copy-properties.ts';
import type { RateControl } from '../../../../shared/protocol/encode-spec.ts';
import type { FrameIndex, VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { type Presentation, presentedFrames } from '../frame-grid.ts';
import type { PlannedRung } from '../rungs.ts';
import { fitsBuffer } from './buffer-model.ts';

type Source = {
  track: VideoTrack;
  frames: FrameIndex;
  presentation: Presentation;
  /** why the template needs every frame to be encoded, as a clause; null where it does not */
  templateReason: string | null;
};

/**
 * Why a rung has to be encoded although the template allows copies, as a clause; null when the source already is what
 * the rung asks for. `cap` are the bitrates that the template sets, without those that follow from the source.
 */
export const encodeReason = (planned: PlannedRung, source: Source, cap: RateControl): string | null =>
  pictureReason(planned, source) ??
  formatReason(planned, source) ??
  lengthReason(planned, source) ??
  rateReason(source, cap);

function pictureReason({ rung, isCapped }: PlannedRung, { track, templateReason }: Source): string | null {
  if (templateReason !== null) return templateReason;
  const { width, height, sampleAspectRatio, rotationDegrees } = track;
  if (track.pixelAspects) return 'the frame size of the source changes';
  if (rotationDegrees !== 0) return 'the source is rotated';
  if (sampleAspectRatio.num !== sampleAspectRatio.den) return 'the pixels of the source are not square';
  if (rung.crop || rung.pad || rung.sampleAspectRatio || rung.width !== width || rung.height !== height) {
    return `the source has ${width} × ${height} pixels`;
  }
  if (isCapped) return `the source has ${rateText(track)} frames per second`;
  if (!track.constantFrameRate) return 'the frame rate of the source is not constant';
  return track.interlaced ? 'the source is interlaced' : null;
}

const rateText = ({ averageFrameRate }: VideoTrack): string =>
  String(Math.round(toNumber(averageFrameRate) * 1e3) / 1e3);

function formatReason({ rung }: PlannedRung, { track, frames }: Source): string | null {
  const { copy, codec } = track;
  if (rung.codec !== codec) return `the source is ${labelOf(codec)}, not ${videoCodecProperties[rung.codec].label}`;
  if (!copy) return codec === 'h264' ? 'the source was probed by an older version' : `${labelOf(codec)} is not copied`;
  if ('obstacle' in copy) return copyObstacles[copy.obstacle];
  if (!frames.copy || frames.copy.frameBytes.length !== track.frameCount) return 'the source was probed incompletely';
  if (frames.copy.isOpen) return 'the clip does not begin and end at key frames of the source';
  if (track.pixelFormat !== rung.pixelFormat) return `the source is ${track.pixelFormat}, not ${rung.pixelFormat}`;
  if (sourceRange(track) !== 'SDR') return 'the source is HDR with 8 bits';
  if (track.colorRange === 'pc') return 'the source uses the full range of values';
  if (rung.profile !== null && isAbove(copy.profile, rung.profile)) return `the source has the profile ${copy.profile}`;
  if (rung.level !== null && copy.level > Number(rung.level)) return `the source has level ${copy.level}`;
  return null;
}

const labelOf = (codec: string): string =>
  Object.entries(videoCodecProperties).find(([name]) => name === codec)?.[1].label ?? codec;

const isAbove = (profile: (typeof copyProfiles)[number], asked: string): boolean =>
  copyProfiles.indexOf(profile) > (copyProfiles as readonly string[]).indexOf(asked);

/** A copy has no frames that hold a picture. */
function lengthReason(planned: PlannedRung, { track, presentation }: Source): string | null {
  const { frameCount, pictures } = presentedFrames(track, planned, presentation);
  const [before, after] = [pictures.start, frameCount - pictures.end];
  if (before <= 0 && after <= 0) return null;
  const seconds = (Math.max(before, after) / toNumber(planned.frameRate)).toFixed(2);
  return `the video ${before > after ? 'starts' : 'ends'} ${seconds} s ${before > after ? 'after' : 'before'} the audio`;
}

function rateReason({ track, frames }: Source, cap: RateControl): string | null {
  const { frameBytes } = frames.copy!;
  const framesPerSecond = toNumber(track.averageFrameRate);
  const bits = 8 * frameBytes.reduce((sum, bytes) => sum + bytes, 0);
  const averageBps = Math.round((bits * framesPerSecond) / frameBytes.length);
  const most = cap.mode === 'bitrate' ? cap.bitrateBps : cap.maxBitrateBps;
  if (most !== null && averageBps > most) return `the source has ${kbps(averageBps)} on average, above ${kbps(most)}`;
  const { maxBitrateBps, bufferBits } = cap;
  if (maxBitrateBps === null || bufferBits === null) return null;
  const fits = fitsBuffer(frameBytes, framesPerSecond, { bitsPerSecond: maxBitrateBps, bufferBits });
  return fits ? null : `the peaks of the source are above ${kbps(maxBitrateBps)}`;
}

const kbps = (bitrateBps: number): string => `${Math.round(bitrateBps / 1000)} kbit/s`;
