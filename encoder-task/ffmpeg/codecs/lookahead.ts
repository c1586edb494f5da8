import type { EncoderPreset } from '../../../shared/media/codecs.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';

/** The frames that x264 buffers of every rung before it writes the first. Faster presets buffer at most 10. */
const presetFrames: Partial<Record<EncoderPreset, number>> = { faster: 20, fast: 30, medium: 40, slow: 50, slower: 60 };

/**
 * Each buffered frame of a ladder of 1080p takes 12 MiB, one of 2160p 32 MiB. With 20 frames they need 574 and 1475
 * MiB, with the 40 frames of preset medium 804 and 2118 MiB. At the same average bitrate, 40 frames gave a film of 720p
 * 0.7 to 1.5 % fewer bytes and 0.1 to 0.4 dB more XPSNR. In single encodes at equal PSNR, 14 frames needed 4 % more
 * bytes than 21 for another film, and 13 % for a still camera.
 */
const sharedFrames = 20;
/** Pixels of buffered frames in all rungs: those of a ladder of 1080p with 20 frames. Each takes 3 to 5 bytes. */
const budgetPixels = 72e6;
/** Ladders with more pixels have a higher limit, which leaves this many frames of all of their pixels. */
const spareFrames = 0.5;

/**
 * Frames of x264's look-ahead for one of the rungs that an ffmpeg encodes; null for presets that need few. Small rungs
 * get the look-ahead of their preset first: it costs them little memory.
 */
export function lookaheadFrames(rung: Rung, rungs: readonly Rung[]): number | null {
  if (presetFrames[rung.preset] === undefined) return null;
  const pixels = rungs.reduce((sum, each) => sum + pixelsOf(each), 0);
  let spare = Math.max(budgetPixels - sharedFrames * pixels, spareFrames * pixels);
  for (const each of rungs.toSorted((a, b) => pixelsOf(a) - pixelsOf(b))) {
    const wanted = each.codec === 'h264' ? (presetFrames[each.preset] ?? 0) - sharedFrames : 0;
    const added = Math.max(0, Math.min(wanted, Math.floor(spare / pixelsOf(each))));
    if (each === rung) return sharedFrames + added;
    spare -= added * pixelsOf(each);
  }
  throw new Error(`${rung.name} is not among the rungs`);
}

/** Of the picture. The work and the memory of an encoder are proportional to it. */
export const pixelsOf = ({ width, height }: Rung): number => width * height;
