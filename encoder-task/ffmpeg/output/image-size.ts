/** Width and height of a JPEG or WebP image from its header. Throws RangeError for other files. */
export function imageSize(bytes: Buffer): { width: number; height: number } {
  if (bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes);
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 15) === 'WEBPVP8')
    return webpSize(bytes);
  throw new RangeError('not a JPEG or WebP image');
}

/** From the start-of-frame segment of any type (ITU-T T.81, B.1.1.3). */
function jpegSize(bytes: Buffer): { width: number; height: number } {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  throw new RangeError('a JPEG file without a frame');
}

function webpSize(bytes: Buffer): { width: number; height: number } {
  if (bytes.toString('latin1', 12, 16) === 'VP8X') {
    return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
