import type { VideoCodec } from '../../shared/media/codecs.ts';
import type { Rung, VideoSource } from '../../shared/protocol/encode-spec.ts';
import { memoryStepMib } from '../table/nodes/node-capacity-table.ts';

/**
 * Of a worker with its ffmpeg 7.1, which needs more than 5.1: `npm run bench -- --only memory --codec hevc` compares it
 * with what is measured. The figures of VP9, HEVC and AV1 are from sources of 150 and 600 Mbit/s.
 */
const memoryOf: Record<VideoCodec, { baseMib: number; mibPerMegapixel: number }> = {
  h264: { baseMib: 164, mibPerMegapixel: 129 },
  vp9: { baseMib: 286, mibPerMegapixel: 131 },
  hevc: { baseMib: 400, mibPerMegapixel: 174 },
  av1: { baseMib: 600, mibPerMegapixel: 273 },
};
/** Of decoded frames and packets. */
const sourceMibPerMegapixel = 14;
/** Ladders with fewer megapixels have a longer look-ahead of H.264 instead, up to three times that of others. */
const lookaheadMegapixels = 3.6;
/** For pictures and sources that need more than the measured ones. */
const margin = 1.1;

type Picture = Pick<VideoSource, 'displayWidth' | 'displayHeight' | 'change'>;

/** The memory that a container needs to encode these rungs of a source at once, in steps. */
export function neededMib(rungs: readonly Pick<Rung, 'codec' | 'width' | 'height'>[], source: Picture): number {
  const baseMib = Math.max(0, ...rungs.map(({ codec }) => memoryOf[codec].baseMib));
  const all = megapixels(rungs);
  const h264 = megapixels(rungs.filter(({ codec }) => codec === 'h264'));
  const ofLookahead = memoryOf.h264.mibPerMegapixel * Math.max(0, Math.min(2 * h264, lookaheadMegapixels - all));
  const ofRungs = rungs.map((rung) => memoryOf[rung.codec].mibPerMegapixel * megapixels([rung]));
  // all of a frame is decoded before it is cropped
  const { width, height } = source.change?.frame ?? { width: source.displayWidth, height: source.displayHeight };
  const ofSource = (sourceMibPerMegapixel * width * height) / 1e6;
  const mib = ofRungs.reduce((sum, each) => sum + each, baseMib + ofSource + ofLookahead) * margin;
  return Math.ceil(mib / memoryStepMib) * memoryStepMib;
}

const megapixels = (rungs: readonly Pick<Rung, 'width' | 'height'>[]): number =>
  rungs.reduce((sum, { width, height }) => sum + width * height, 0) / 1e6;
