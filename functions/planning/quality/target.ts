type Size = { width: number; height: number };

/**
 * The XPSNR of luma that a rung shall have, in its own frame size: at 40 dB differences are hardly visible. A smaller
 * rung has less, 38 dB for 720p and 34.1 dB for 240p: with the quality of the larger ones, it would need nearly their
 * bitrate.
 */
export const targetXpsnrDb = ({ width, height }: Size): number =>
  39.5 - 1.25 * Math.max(0, Math.log2((1920 * 1080) / (width * height)));

/** The quality of a whole video can be below that of its samples. */
const marginDb = 0.6;

/** The XPSNR that samples of a rung shall have. */
export const sampleTargetDb = (size: Size): number => targetXpsnrDb(size) + marginDb;
