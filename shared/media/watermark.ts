import type { UploadedImage } from './image-header.ts';

export const watermarkPositions = [
  'top-left',
  'top',
  'top-right',
  'left',
  'center',
  'right',
  'bottom-left',
  'bottom',
  'bottom-right',
] as const;

/** An image over the picture. Its size follows the width of each rendition. */
export type Watermark = {
  /** of the image, which is in the folder of the video's plans */
  imageUlid: string;
  image: UploadedImage;
  position: (typeof watermarkPositions)[number];
  /** of the image, as a share of the width of the picture */
  widthShare: number;
  /** to the sides of the picture, as a share of its width */
  marginShare: number;
  /** 0 to 1 */
  opacity: number;
  /** on the output clock; absent for the start and the end of the video */
  fromSeconds?: number;
  toSeconds?: number;
};

/** A rectangle in pixels of a frame. */
export type Area = { left: number; top: number; width: number; height: number };

/** `pixelAspect`: how much wider than high the pixels of the frame are shown. */
type Picture = Area & { pixelAspect?: number };

/**
 * Where the image of a watermark is in a frame whose picture, without bars, is `picture`. It is made smaller where it
 * would be higher than the picture, and keeps its shape. Encoders store one colour for two by two pixels, so left and
 * top are even.
 */
export function watermarkArea(
  { image, position, widthShare, marginShare }: Watermark,
  { left, top, width, height, pixelAspect = 1 }: Picture,
): Area {
  const margin = { x: marginShare * width, y: marginShare * width * pixelAspect };
  const shown = image.orientation > 4 ? { width: image.height, height: image.width } : image;
  const heightOfWidth = (shown.height / shown.width) * pixelAspect;
  const imageWidth = Math.min(
    widthShare * width,
    width - 2 * margin.x,
    Math.max(1, height - 2 * margin.y) / heightOfWidth,
  );
  const size = {
    width: Math.max(1, Math.round(imageWidth)),
    height: Math.max(1, Math.round(imageWidth * heightOfWidth)),
  };
  const start = (side: 'low' | 'middle' | 'high', space: number, room: number): number =>
    ({ low: space, middle: room / 2, high: room - space })[side];
  const across = position.endsWith('left') ? 'low' : position.endsWith('right') ? 'high' : 'middle';
  const down = position.startsWith('top') ? 'low' : position.startsWith('bottom') ? 'high' : 'middle';
  return {
    left: left + even(start(across, margin.x, width - size.width), width - size.width),
    top: top + even(start(down, margin.y, height - size.height), height - size.height),
    ...size,
  };
}

/** The nearest even number from 0 to `most`. */
const even = (length: number, most: number): number =>
  Math.max(0, Math.min(2 * Math.round(length / 2), 2 * Math.floor(most / 2)));
