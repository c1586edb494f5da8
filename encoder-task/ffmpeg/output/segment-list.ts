/** Segments in a media playlist that ffmpeg has written. */
export function readSegmentList(text: string): { file: string; durationSeconds: number }[] {
  return [...text.matchAll(/^#EXTINF:([\d.]+),\r?\n([^#\r\n]+)$/gm)].map(([, seconds, file]) => ({
    file: file!,
    durationSeconds: Number(seconds),
  }));
}
