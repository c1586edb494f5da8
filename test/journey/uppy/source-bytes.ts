/** Bytes for a file of this size in which no four-byte word repeats. An upload need not be a video. */
export function sourceBytes(size: number): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let index = 0; index < words.length; index++) words[index] = index;
  return Buffer.from(words.buffer, 0, size);
}
