import { open } from 'node:fs/promises';

/** The payload of a file's moov box, wherever it stands, without reading the media. Throws RangeError when there is none. */
export async function readMovieBox(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const header = Buffer.alloc(16);
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(header, 0, 16, at);
      if (bytesRead < 8) throw new RangeError('no moov box');
      const short = header.readUInt32BE(0);
      const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short;
      const headerBytes = short === 1 ? 16 : 8;
      if (size < headerBytes) throw new RangeError('no moov box');
      if (header.toString('latin1', 4, 8) === 'moov') {
        const payload = Buffer.alloc(size - headerBytes);
        await file.read(payload, 0, payload.length, at + headerBytes);
        return payload;
      }
      at += size;
    }
  } finally {
    await file.close();
  }
}
