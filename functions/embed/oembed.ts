import { escapeHtml } from '../http/html.ts';

type Limits = { maxWidth: number | undefined; maxHeight: number | undefined };

const usualPixels = 640;
const usualRatio = 16 / 9;

/** The largest size with the aspect ratio of the video, such as `16:9`, within the limits. */
export function frameSize(aspectRatio: string | null, { maxWidth, maxHeight }: Limits) {
  const ratio = parseRatio(aspectRatio);
  const isLimited = maxWidth !== undefined || maxHeight !== undefined;
  const width = Math.min(
    maxWidth ?? (isLimited ? Infinity : usualPixels),
    (maxHeight ?? (isLimited ? Infinity : usualPixels)) * ratio,
  );
  return {
    width: Math.max(1, Math.floor(width + rounding)),
    height: Math.max(1, Math.floor(width / ratio + rounding)),
  };
}

/** 640 / (16 / 9) is a little less than 360. */
const rounding = 1e-6;

function parseRatio(text: string | null): number {
  const [width = 0, height = 0] = (text ?? '').split(':').map(Number);
  return width > 0 && height > 0 ? width / height : usualRatio;
}

type Frame = { url: string; title: string; width: number; height: number };

/** The HTML that a site inserts. The title is the name of the video, so it is escaped. */
export const frameHtml = ({ url, title, width, height }: Frame): string =>
  `<iframe src="${escapeHtml(url)}" width="${width}" height="${height}" title="${escapeHtml(title)}" style="border:0" allow="autoplay; fullscreen; picture-in-picture" allowfullscreen></iframe>`;
