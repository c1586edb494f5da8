/** A frame of luma samples, row by row, of 8 bits, or of 10 bits in 16. */
export type Plane = Uint8Array | Uint16Array;
export type FrameFormat = { width: number; height: number; bitDepth: 8 | 10; framesPerSecond: number };

/**
 * XPSNR of luma (Helmrich et al., "XPSNR: A Low-Complexity Extension of the Perceptually Weighted Peak Signal-to-Noise
 * Ratio", ICASSP 2020): errors weigh more where the picture is flat and still. `add` takes the frames in the order in
 * which they are shown.
 */
export function createXpsnr(format: FrameFormat) {
  const { width, height, bitDepth, framesPerSecond } = format;
  const relativeSize = (width * height) / (3840 * 2160);
  const block = Math.max(4, 4 * Math.floor(32 * Math.sqrt(relativeSize) + 0.5));
  const averageActivity = Math.sqrt((16 * 2 ** (2 * bitDepth - 9)) / Math.sqrt(Math.max(0.000_01, relativeSize)));
  const columns = Math.ceil(width / block);
  const weights = new Float64Array(columns * Math.ceil(height / block));
  const errors = new Float64Array(weights.length);
  /** frames that change fast are compared with two earlier ones */
  const isFast = framesPerSecond > 32;
  let previous: Plane | undefined;
  let beforePrevious: Plane | undefined;
  let amplitudes = 0;
  let frames = 0;

  const addBlock = (reference: Plane, encoded: Plane, index: number): void => {
    const x0 = (index % columns) * block;
    const y0 = Math.floor(index / columns) * block;
    const x1 = Math.min(x0 + block, width);
    const y1 = Math.min(y0 + block, height);
    let squares = 0;
    let spatial = 0;
    let temporal = 0;
    for (let y = y0; y < y1; y++) {
      const isInside = y > 0 && y < height - 1;
      for (let at = y * width + x0; at < y * width + x1; at++) {
        const value = reference[at]!;
        const difference = value - encoded[at]!;
        squares += difference * difference;
        if (previous) {
          const change = value - previous[at]!;
          temporal += Math.abs(isFast && beforePrevious ? change - previous[at]! + beforePrevious[at]! : change);
        }
        const x = at - y * width;
        if (!isInside || x === 0 || x === width - 1) continue;
        const [up, down] = [at - width, at + width];
        spatial += Math.abs(
          12 * value -
            2 * (reference[at - 1]! + reference[at + 1]! + reference[up]! + reference[down]!) -
            (reference[up - 1]! + reference[up + 1]! + reference[down - 1]! + reference[down + 1]!),
        );
      }
    }
    const innerPixels = Math.max(
      1,
      (Math.min(x1, width - 1) - Math.max(x0, 1)) * (Math.min(y1, height - 1) - Math.max(y0, 1)),
    );
    const activity = spatial / innerPixels + (2 * temporal) / ((x1 - x0) * (y1 - y0));
    errors[index] = squares;
    weights[index] = 1 / Math.max(2 ** (bitDepth - 6), activity);
  };

  return {
    add(reference: Plane, encoded: Plane): void {
      for (let index = 0; index < weights.length; index++) addBlock(reference, encoded, index);
      if (width * height <= 640 * 480) smooth(weights, columns);
      let distortion = 0;
      for (const [index, weight] of weights.entries()) distortion += weight * errors[index]!;
      amplitudes += Math.sqrt(distortion * averageActivity);
      frames++;
      [beforePrevious, previous] = [previous, reference];
    },
    frames: (): number => frames,
    /** of all frames together; `maxDb` for frames without a difference */
    decibels(maxDb: number): number {
      const mean = amplitudes / Math.max(1, frames);
      const peak = Math.sqrt(width * height) * (2 ** bitDepth - 1);
      return mean === 0 ? maxDb : Math.min(maxDb, Math.max(0, 20 * Math.log10(peak / mean)));
    },
  };
}

/** In small frames, no block weighs more than the one of its neighbours (left, right, above) that weighs most. */
function smooth(weights: Float64Array, columns: number): void {
  const original = weights.slice();
  for (const [index, weight] of original.entries()) {
    const column = index % columns;
    const neighbours = [
      ...(column > 0 ? [original[index - 1]!] : []),
      ...(column < columns - 1 && index + 1 < original.length ? [original[index + 1]!] : []),
      ...(index >= columns ? [original[index - columns]!] : []),
    ];
    if (neighbours.length > 0) weights[index] = Math.min(weight, Math.max(...neighbours));
  }
}
