/** The video changed after it was read. Read it again before the next attempt. */
export class VideoChanged extends Error {
  override readonly name = 'VideoChanged';
}
