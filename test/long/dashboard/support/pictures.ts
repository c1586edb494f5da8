import { runOrThrow } from '../../../journey/support/ffmpeg.ts';

/** A kept picture has a quarter of the screen's width. Compared are cells of 8 × 8 pixels of the screen. */
const keptScale = 1 / 4;
const cellPixels = 8;
/** Of 255. Other letters change a cell by less, a control at another position by more. */
const maxDifference = 40;
const maxShareOfCells = 0.03;
const maxShareOfHeight = 0.06;

/** The mean luma of each cell, row by row. As many rows as the shape of the picture gives, unless they are named. */
async function cellsOf(picture: string, columns: number, rows = -1): Promise<Buffer> {
  const filter = `scale=${columns}:${rows}:flags=area,format=gray`;
  return (await runOrThrow('ffmpeg', ['-i', picture, '-vf', filter, '-f', 'rawvideo', 'pipe:1'])).stdout;
}

/**
 * What differs between a picture and the kept one, in words; undefined when both look the same.
 * @param widthPixels of the screen
 */
export async function differenceOf(picture: string, kept: string, widthPixels: number): Promise<string | undefined> {
  const columns = Math.floor(widthPixels / cellPixels);
  const cells = await cellsOf(picture, columns);
  let keptCells = await cellsOf(kept, columns);
  // Rounding: without this, the lower lines of a long page would be compared with their neighbours.
  if (Math.abs(cells.length - keptCells.length) === columns) {
    keptCells = await cellsOf(kept, columns, cells.length / columns);
  }
  const heights = [cells, keptCells].map(({ length }) => (length / columns) * cellPixels);
  const [height = 0, keptHeight = 0] = heights;
  if (Math.abs(height - keptHeight) > maxShareOfHeight * keptHeight) return `${height} px high, not ${keptHeight} px`;
  const compared = Math.min(cells.length, keptCells.length);
  let differing = 0;
  for (let cell = 0; cell < compared; cell++) {
    if (Math.abs(cells[cell]! - keptCells[cell]!) > maxDifference) differing++;
  }
  const share = differing / compared;
  return share > maxShareOfCells ? `${(100 * share).toFixed(1)} % look different` : undefined;
}

/** Writes what is kept of a picture: small, and without colours. */
export async function keepPicture(picture: string, kept: string): Promise<void> {
  const filter = `scale=iw*${keptScale}:-1:flags=area,format=gray`;
  await runOrThrow('ffmpeg', ['-y', '-i', picture, '-vf', filter, '-quality', '60', kept]);
}
