/** Bytes for a file of this size, of which no part is like another. They are no video: an upload needs none. */
export function sourceBytes(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let index = 0; index < size; index++) bytes[index] = index ^ (index >> 8) ^ (index >> 16);
  return bytes;
}
