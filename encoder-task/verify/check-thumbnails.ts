import { readImageHeader } from '../../shared/media/image-header.ts';
import { readBytes, readText } from './read-bytes.ts';
import { fileName, type Report } from './rendition.ts';

type Cue = { start: number; end: number; image: string; x: number; y: number; width: number; height: number };

const cuePattern = /^(\d+):(\d\d):(\d\d\.\d{3}) --> (\d+):(\d\d):(\d\d\.\d{3})\n(\S+?)#xywh=(\d+),(\d+),(\d+),(\d+)$/gm;

/** Checks that a WebVTT file of sprites has no gaps in time, and that its tiles are inside the named images. */
export async function checkSprites(url: URL, report: Report): Promise<void> {
  const wrong = (what: string): void => report(fileName(url), what);
  const text = await readText(url);
  if (!text.startsWith('WEBVTT\n')) wrong('is not WebVTT');
  const cues = [...text.matchAll(cuePattern)].map(readCue);
  if (cues.length === 0) return wrong('has no cue');
  if (cues.length !== text.split(' --> ').length - 1) wrong('has a cue that cannot be read');
  let end = 0;
  for (const cue of cues) {
    if (Math.abs(cue.start - end) > 1e-6) wrong(`a cue starts at ${cue.start} s, the previous one ends at ${end} s`);
    if (cue.end <= cue.start) wrong(`the cue at ${cue.start} s has no duration`);
    end = cue.end;
  }
  for (const [image, tiles] of Map.groupBy(cues, (cue) => cue.image)) {
    const size = await checkImage(new URL(image, url), report);
    if (!size) continue;
    const outside = tiles.find(({ x, y, width, height }) => x + width > size.width || y + height > size.height);
    if (outside) wrong(`the tile for ${outside.start} s is outside of ${image}`);
    if (new Set(tiles.map(({ x, y }) => `${x},${y}`)).size < tiles.length) wrong(`a tile of ${image} is used twice`);
  }
}

/** Size of an image. Reports a problem and returns undefined when it cannot be read. */
export async function checkImage(url: URL, report: Report): Promise<{ width: number; height: number } | undefined> {
  try {
    const header = readImageHeader(await readBytes(url));
    if (!header?.isComplete) throw new RangeError('not a complete JPEG, PNG or WebP image');
    return header;
  } catch (error) {
    report(fileName(url), `cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

function readCue(match: RegExpExecArray): Cue {
  const [startHours, startMinutes, startSeconds, endHours, endMinutes, endSeconds] = match.slice(1, 7).map(Number) as [
    ...[number, number, number],
    ...[number, number, number],
  ];
  const [x, y, width, height] = match.slice(8, 12).map(Number) as [number, number, number, number];
  return {
    start: startHours * 3600 + startMinutes * 60 + startSeconds,
    end: endHours * 3600 + endMinutes * 60 + endSeconds,
    image: match[7]!,
    x,
    y,
    width,
    height,
  };
}
