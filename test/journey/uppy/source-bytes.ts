/** Bytes for a file of this size, of which no four are like others. They are no video: an upload needs none. */
export function sourceBytes(size: number): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let index = 0; index < words.length; index++) words[index] = index;
  return Buffer.from(words.buffer, 0, size);
}
