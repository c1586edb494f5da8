/** What the header of an uploaded image says. `width` and `height` are those of the stored pixels. */
export type ImageHeader = {
  type: ImageType;
  width: number;
  height: number;
  /** of EXIF, 1 to 8: how the stored pixels are turned and mirrored to be shown */
  orientation: number;
  /** the file has its end */
  isComplete: boolean;
};

/** What decides how an uploaded image is decoded and shown. */
export type UploadedImage = Pick<ImageHeader, 'type' | 'width' | 'height' | 'orientation'>;

export const imageTypes = ['jpeg', 'png', 'webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** Reads the header of a JPEG, PNG or WebP image and decodes no pixel. Undefined for any other file. */
export function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  try {
    if (bytes.readUInt16BE(0) === 0xffd8) return jpegHeader(bytes);
    if (bytes.subarray(0, 8).equals(pngSignature)) return pngHeader(bytes);
    if (name(bytes, 0) === 'RIFF' && name(bytes, 8) === 'WEBP') return webpHeader(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

const name = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4);

/** From the start-of-frame segment of any type (ITU-T T.81, B.1.1.3). */
function jpegHeader(bytes: Buffer): ImageHeader | undefined {
  let orientation = 1;
  for (let at = 2; bytes[at] === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    // fill bytes before a marker
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return undefined;
    if (marker === 0xe1 && bytes.toString('latin1', at + 4, at + 10) === 'Exif\0\0') {
      orientation = exifOrientation(bytes.subarray(at + 10, at + 2 + length));
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      const isComplete = bytes.lastIndexOf(endOfImage) > at;
      return { type: 'jpeg', width, height, orientation, isComplete };
    }
    at += 2 + length;
  }
  return undefined;
}

const endOfImage = Buffer.from([0xff, 0xd9]);

function pngHeader(bytes: Buffer): ImageHeader | undefined {
  if (name(bytes, 12) !== 'IHDR') return undefined;
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  let orientation = 1;
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    if (name(bytes, at + 4) === 'eXIf') orientation = exifOrientation(data);
    if (name(bytes, at + 4) === 'IEND') return { type: 'png', ...size, orientation, isComplete: true };
  }
  return { type: 'png', ...size, orientation, isComplete: false };
}

function webpHeader(bytes: Buffer): ImageHeader | undefined {
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  for (const { id, data } of riffChunks(bytes)) {
    size ??= webpSize(id, data);
    if (id === 'EXIF') orientation = exifOrientation(data);
  }
  const isComplete = bytes.readUInt32LE(4) + 8 <= bytes.length;
  return size && { type: 'webp', ...size, orientation, isComplete };
}

/** Of the first chunk that has it: `VP8X` for extended files. */
function webpSize(id: string, data: Buffer): { width: number; height: number } | undefined {
  if (id === 'VP8X') return { width: 1 + data.readUIntLE(4, 3), height: 1 + data.readUIntLE(7, 3) };
  if (id === 'VP8 ') return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  if (id !== 'VP8L') return undefined;
  const bits = data.readUInt32LE(1);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
}

/** The chunks of a RIFF file, or those from `start` on in a chunk that has chunks. */
export function* riffChunks(bytes: Buffer, start = 12): Generator<{ id: string; data: Buffer }> {
  for (let at = start; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    yield { id: name(bytes, at), data: bytes.subarray(at + 8, at + 8 + length) };
    at += 8 + length + (length % 2);
  }
}

const orientationTag = 0x0112;

/** 1 (upright) where it is missing or cannot be read. */
function exifOrientation(exif: Buffer): number {
  const tiff = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  try {
    const isLittle = tiff.toString('latin1', 0, 2) === 'II';
    const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
    const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    for (let entry = 0; entry < short(directory); entry++) {
      const at = directory + 2 + 12 * entry;
      if (short(at) !== orientationTag) continue;
      const value = short(at + 8);
      return value >= 1 && value <= 8 ? value : 1;
    }
    return 1;
  } catch {
    return 1;
  }
}
