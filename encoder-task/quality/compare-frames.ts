import { type FileHandle, open } from 'node:fs/promises';
import { createXpsnr, type FrameFormat, type Plane } from './xpsnr.ts';

/** Compares two files of raw luma frames of one size, frame by frame. */
export async function compareFrames(
  paths: { reference: string; encoded: string },
  format: FrameFormat,
): Promise<ReturnType<typeof createXpsnr>> {
  const xpsnr = createXpsnr(format);
  const files = await Promise.all([open(paths.reference), open(paths.encoded)]);
  try {
    for (;;) {
      const [reference, encoded] = await Promise.all(files.map((file) => readFrame(file, format)));
      if (!reference || !encoded) return xpsnr;
      xpsnr.add(reference, encoded);
    }
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/** The next frame; undefined at the end. */
async function readFrame(file: FileHandle, { width, height, bitDepth }: FrameFormat): Promise<Plane | undefined> {
  const plane = bitDepth === 8 ? new Uint8Array(width * height) : new Uint16Array(width * height);
  const bytes = new Uint8Array(plane.buffer);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return plane;
}
