import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EncoderRun, segmentFile } from '../../shared/protocol/track-files.ts';
import { unplacedPrefix } from '../ffmpeg/encode-chunk.ts';
import { needBox, readBoxes } from '../isobmff/boxes.ts';

type Repeats = {
  run: EncoderRun;
  /** of the first segment of the chunk */
  number: number;
  /** how many times the second one is repeated */
  count: number;
  segmentTicks: number;
};

/**
 * Gives the segments of a chunk their names. Copies of the second one, with later times, precede those that follow it.
 */
export async function repeatSegment(folder: string, { run, number, count, segmentTicks }: Repeats): Promise<void> {
  const unplaced = (await readdir(folder)).filter((name) => name.startsWith(unplacedPrefix)).sort();
  for (const [n, name] of unplaced.entries()) {
    const file = join(folder, name);
    const bytes = await readFile(file);
    // a file gets its final name when it is complete, because it is uploaded then
    const store = async (later: number): Promise<void> => {
      if (later > 0) await writeFile(file, bytes);
      await rename(file, join(folder, segmentFile(number + n + later, run)));
    };
    if (n === 1) {
      await store(0);
      for (let later = 1; later <= count; later++) {
        shift(bytes, { segments: 1, ticks: segmentTicks });
        await store(later);
      }
    } else {
      if (n > 1) shift(bytes, { segments: count, ticks: count * segmentTicks });
      await store(n > 1 ? count : 0);
    }
  }
}

/** Changes the sequence numbers and decode times of a segment (ISO/IEC 14496-12, 8.8.5 and 8.8.12). */
function shift(segment: Buffer, { segments, ticks }: { segments: number; ticks: number }): void {
  for (const { type, payload } of readBoxes(segment)) {
    if (type !== 'moof') continue;
    const mfhd = needBox(payload, 'mfhd');
    mfhd.writeUInt32BE(mfhd.readUInt32BE(4) + segments, 4);
    const tfdt = needBox(payload, 'traf', 'tfdt');
    if (tfdt[0] === 1) tfdt.writeBigUInt64BE(tfdt.readBigUInt64BE(4) + BigInt(ticks), 4);
    else tfdt.writeUInt32BE(tfdt.readUInt32BE(4) + ticks, 4);
  }
}
