/** Files and durations of a media playlist that ffmpeg wrote. */
export function readPlaylist(text: string): { file: string; durationSeconds: number }[] {
  return [...text.matchAll(/^#EXTINF:([\d.]+),\r?\n([^#\r\n]+)$/gm)].map(([, seconds, file]) => ({
    file: file!,
    durationSeconds: Number(seconds),
  }));
}
