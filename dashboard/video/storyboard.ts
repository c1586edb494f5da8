/** A frame of the video within a picture of many frames. */
export type Frame = {
  /** Its middle. */
  atSeconds: number;
  imageUrl: string;
  /** In pixels of the picture. */
  x: number;
  y: number;
  width: number;
  height: number;
};

const cue = /(\S+) --> (\S+).*\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/g;

/**
 * The frames of a storyboard.
 * @param vtt WebVTT whose cues refer to regions of pictures by media fragments
 * @param url of the WebVTT file, which the names of the pictures are relative to
 */
export const framesOf = (vtt: string, url: string): Frame[] =>
  [...vtt.matchAll(cue)].map(([, start = '', end = '', image = '', ...region]) => {
    const [x = 0, y = 0, width = 0, height = 0] = region.map(Number);
    return {
      atSeconds: (secondsOf(start) + secondsOf(end)) / 2,
      imageUrl: new URL(image, url).href,
      x,
      y,
      width,
      height,
    };
  });

/** @param time such as 00:01:02.500 or 01:02.500 */
const secondsOf = (time: string): number => time.split(':').reduce((sum, number) => 60 * sum + Number(number), 0);

/** At most so many frames, evenly spread over the video. */
export const spreadOf = (frames: readonly Frame[], maxFrames: number): Frame[] => {
  const step = Math.max(1, frames.length / maxFrames);
  return Array.from({ length: Math.min(frames.length, maxFrames) }, (_, index) => frames[Math.floor(index * step)]!);
};
