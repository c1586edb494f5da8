import type { ThumbnailsSpec } from '../../shared/protocol/jobs.ts';

type Sprite = NonNullable<ThumbnailsSpec['sprite']>;

/** WebVTT with one cue per tile, which refers to a rectangle of a sprite sheet. The last cue ends with the video. */
export function spriteVtt(sprite: Sprite, durationSeconds: number): string {
  const cues = Array.from({ length: sprite.tiles }, (_, tile) => {
    const position = tile % (sprite.columns * sprite.rows);
    const sheet = String(Math.floor(tile / (sprite.columns * sprite.rows)) + 1).padStart(3, '0');
    const x = (position % sprite.columns) * sprite.tileWidth;
    const y = Math.floor(position / sprite.columns) * sprite.tileHeight;
    const nextSeconds = (tile + 1) * sprite.intervalSeconds;
    const endsWithVideo = tile + 1 === sprite.tiles && durationSeconds > tile * sprite.intervalSeconds;
    return [
      `${timestamp(tile * sprite.intervalSeconds)} --> ${timestamp(endsWithVideo ? durationSeconds : nextSeconds)}`,
      `sprite-${sheet}.${sprite.format}#xywh=${x},${y},${sprite.tileWidth},${sprite.tileHeight}`,
    ].join('\n');
  });
  return `WEBVTT\n\n${cues.join('\n\n')}\n`;
}

/** `HH:MM:SS.mmm` */
function timestamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const part = (unitMs: number, base: number) => String(Math.floor(milliseconds / unitMs) % base).padStart(2, '0');
  const thousandths = String(milliseconds % 1000).padStart(3, '0');
  return `${part(3_600_000, 100)}:${part(60_000, 60)}:${part(1000, 60)}.${thousandths}`;
}
