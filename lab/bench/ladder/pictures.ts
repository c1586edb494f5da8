import { join } from 'node:path';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';

/** Two screenshots with real text and interface elements. */
const screenshots = ['videos', 'video'].map((name) =>
  join(import.meta.dirname, '../../../docs/images', `${name}.webp`),
);

/** Still pictures from which clips are made by movement. */
export type Pictures = { textures: string[]; screens: string; slides: string[] };

export async function makePictures(folder: string): Promise<Pictures> {
  const textures = await Promise.all([1, 2, 3].map((seed) => makeTexture(join(folder, `texture-${seed}.png`), seed)));
  const screens = join(folder, 'screens.png');
  await runOrThrow('ffmpeg', [
    ...screenshots.flatMap((file) => ['-i', file]),
    ...['-filter_complex', '[0]scale=1280:-2[a];[1]scale=1280:-2,split[b][c];[a][b][c]vstack=inputs=3'],
    ...['-frames:v', '1', '-y', screens],
  ]);
  const slides = await Promise.all(screenshots.map((file, n) => makeSlide(file, join(folder, `slide-${n}.png`))));
  return { textures, screens, slides };
}

const makeSlide = async (screenshot: string, file: string): Promise<string> => {
  const placed = 'scale=1500:-2,pad=1920:1080:(ow-iw)/2:(oh-ih)/2:color=0x20304a';
  await runOrThrow('ffmpeg', ['-i', screenshot, '-vf', placed, '-frames:v', '1', '-y', file]);
  return file;
};

/** Widths of the noise that is enlarged and mixed. */
const octaves = [10, 20, 40, 80, 160, 320, 640, 1280, 2560];

/**
 * A picture of 2560x1440 with as much contrast in large as in small details, as in photographs: their amplitude is
 * inversely proportional to the spatial frequency.
 */
async function makeTexture(file: string, seed: number): Promise<string> {
  const layers = octaves.map((width, n) => {
    const noise = `color=gray:s=${width}x${Math.ceil((width * 9) / 16)}:d=1:r=1,format=yuv444p`;
    return `${noise},noise=alls=100:all_seed=${100 * seed + n},scale=2560:1440:flags=bicubic[l${n}]`;
  });
  const weights = octaves.map((_, n) => 2 ** (0.8 * (octaves.length - n))).map((weight) => weight.toFixed(2));
  const inputs = octaves.map((_, n) => `[l${n}]`).join('');
  const contrast = "lutyuv=y='clip((val-126)*2.5+118,16,235)':u='(val-128)*0.35+128':v='(val-128)*0.35+128'";
  const mixed = `${inputs}mix=inputs=${octaves.length}:weights='${weights.join(' ')}',${contrast},format=rgb24`;
  await runOrThrow('ffmpeg', [...['-filter_complex', [...layers, mixed].join(';'), '-frames:v', '1', '-y', file]]);
  return file;
}
