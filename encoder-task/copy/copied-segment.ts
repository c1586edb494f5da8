import type { FrameGrid } from '../../shared/protocol/encode-spec.ts';
import { box, fullBox, segmentFileType, uint32, uint64 } from '../isobmff/write-box.ts';
import { trackId } from './copied-init.ts';

/** A sample of a segment. `frame` is its position in the order of presentation in the whole track. */
export type CopiedSample = { bytes: Buffer; frame: number; isIdr: boolean };

type SegmentPosition = {
  /** of the segment in the track */
  number: number;
  /** of the first sample in decoding order, which is also the first frame */
  firstFrame: number;
  delayFrames: number;
};

export type CopiedSegment = { bytes: Buffer; startTicks: number; durationTicks: number; keyFrameBytes: number };

const sampleFlags = { sync: 0x0200_0000, other: 0x0101_0000 };
const tfhdFlags = { duration: 0x08, baseIsMoof: 0x02_0000 };
const trunFlags = { dataOffset: 0x001, size: 0x200, flags: 0x400, compositionOffset: 0x800 };

/** A media segment with the samples as they are, each for one frame of the grid. */
export function copiedSegment(samples: CopiedSample[], grid: FrameGrid, position: SegmentPosition): CopiedSegment {
  const startTicks = grid.startTicks + position.firstFrame * grid.ticksPerFrame;
  const moofBytes = fragmentHeader(samples, grid, { ...position, startTicks, dataOffset: 0 }).length;
  const moof = fragmentHeader(samples, grid, { ...position, startTicks, dataOffset: moofBytes + 8 });
  // not with `box`, which would copy the samples once more
  const mediaBytes = samples.reduce((sum, { bytes }) => sum + bytes.length, 8);
  const mdat = [uint32(mediaBytes), Buffer.from('mdat', 'latin1'), ...samples.map(({ bytes }) => bytes)];
  const bytes = Buffer.concat([segmentFileType, moof, ...mdat]);
  return {
    bytes,
    startTicks,
    durationTicks: samples.length * grid.ticksPerFrame,
    keyFrameBytes: segmentFileType.length + moofBytes + 8 + samples[0]!.bytes.length,
  };
}

function fragmentHeader(
  samples: CopiedSample[],
  { ticksPerFrame }: FrameGrid,
  {
    number,
    firstFrame,
    delayFrames,
    startTicks,
    dataOffset,
  }: SegmentPosition & { startTicks: number; dataOffset: number },
): Buffer {
  const entries = samples.flatMap(({ bytes, frame, isIdr }, n) => [
    bytes.length,
    isIdr ? sampleFlags.sync : sampleFlags.other,
    (frame - firstFrame - n + delayFrames) * ticksPerFrame,
  ]);
  const { duration, baseIsMoof } = tfhdFlags;
  const { size, flags, compositionOffset } = trunFlags;
  return box(
    'moof',
    fullBox('mfhd', 0, uint32(number + 1)),
    box(
      'traf',
      fullBox('tfhd', duration | baseIsMoof, uint32(trackId, ticksPerFrame)),
      fullBox('tfdt', 0x0100_0000, uint64(startTicks)),
      fullBox(
        'trun',
        trunFlags.dataOffset | size | flags | compositionOffset,
        uint32(samples.length, dataOffset, ...entries),
      ),
    ),
  );
}
