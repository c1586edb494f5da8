import { open } from 'node:fs/promises';

/** Whether the boxes of an MP4 end where the file does: one that was cut off while its media was copied still has a sound index. */
export async function isWholeFile(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const header = Buffer.alloc(16);
    let at = 0;
    while (at < size) {
      const { bytesRead } = await file.read(header, 0, 16, at);
      if (bytesRead < 8) return false;
      const short = header.readUInt32BE(0);
      const bytes = short === 1 ? Number(header.readBigUInt64BE(8)) : short;
      if (bytes < 8) return false;
      at += bytes;
    }
    return size > 0 && at === size;
  } finally {
    await file.close();
  }
}
