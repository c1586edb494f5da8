import { open } from 'node:fs/promises';
import { findBox, needBox, readBoxes, walkFile } from './boxes.ts';

/** A progressive MP4 by its index. */
export type ProgressiveFile = {
  /**
   * the last box ends where the file does; a file that was cut off while its media was copied can still have a complete
   * index
   */
  isComplete: boolean;
  durationSeconds: number;
  tracks: { handler: string; samples: number }[];
};

/** Reads the moov box of a file, wherever it is, without reading the media. Throws RangeError when there is none. */
export async function readProgressiveFile(path: string): Promise<ProgressiveFile> {
  const file = await open(path);
  try {
    const { size: totalBytes } = await file.stat();
    const readAt = async (start: number, end: number): Promise<Buffer> => {
      const bytes = Buffer.alloc(Math.max(0, Math.min(end, totalBytes) - start));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      return bytes.subarray(0, bytesRead);
    };
    let moov: Buffer | undefined;
    let end = 0;
    for await (const { type, start, size, headerBytes } of walkFile(readAt, totalBytes)) {
      if (type === 'moov') moov ??= await readAt(start + headerBytes, start + size);
      end = start + size;
    }
    if (!moov) throw new RangeError('no moov box, so the file is cut off');
    return { ...readIndex(moov), isComplete: end === totalBytes };
  } finally {
    await file.close();
  }
}

function readIndex(moov: Buffer): Pick<ProgressiveFile, 'durationSeconds' | 'tracks'> {
  const mvhd = needBox(moov, 'mvhd');
  const [timescale, duration] =
    mvhd[0] === 1
      ? [mvhd.readUInt32BE(20), Number(mvhd.readBigUInt64BE(24))]
      : [mvhd.readUInt32BE(12), mvhd.readUInt32BE(16)];
  const tracks = readBoxes(moov)
    .filter((box) => box.type === 'trak')
    .map(({ payload }) => ({
      handler: needBox(payload, 'mdia', 'hdlr').toString('latin1', 8, 12),
      samples: findBox(payload, 'mdia', 'minf', 'stbl', 'stsz')?.readUInt32BE(8) ?? 0,
    }));
  return { durationSeconds: duration / timescale, tracks };
}
