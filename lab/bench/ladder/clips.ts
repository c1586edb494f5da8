import { basename } from 'node:path';
import type { Pictures } from './pictures.ts';

/** Seconds of each clip: a chunk of one segment. */
export const clipSeconds = 4;

/** A source of one kind of content: inputs of ffmpeg and the filters that make its frames from them. */
export type Clip = {
  name: string;
  /** absent for a file, which keeps its own */
  frameRate?: number;
  inputs: string[];
  filters: string;
};

const still = (file: string, frameRate: number): string[] => ['-framerate', String(frameRate), '-i', file];
const generated = (source: string): string[] => ['-f', 'lavfi', '-i', source];
/** Repeats a picture, after what is done only once. */
const hold = 'format=yuv444p,loop=-1:1';
/** A part of a texture of 2560x1440, moved by expressions of `t`. */
const view = (size: string, width: number, height: number, x: string, y: string): string =>
  `${hold},crop=${width}:${height}:${x}:${y},scale=${size}:flags=bicubic,setsar=1`;

/** Clips of different kinds, made from noise, shapes and screenshots, so that they are the same on each machine. */
export const clips = ({ textures, screens, slides }: Pictures): Clip[] => [
  {
    name: 'slides',
    frameRate: 25,
    inputs: [...still(slides[0]!, 25), ...still(slides[1]!, 25)],
    filters: `[0]${hold}[a];[1]${hold}[b];[a][b]xfade=transition=slideleft:duration=0.5:offset=1.5`,
  },
  {
    name: 'scrolling text',
    frameRate: 30,
    inputs: still(screens, 30),
    filters: `${hold},crop=1280:720:0:'if(lt(t,1),0,min(900,240*(t-1)))'`,
  },
  {
    name: 'cartoon',
    frameRate: 24,
    inputs: [
      ...generated('color=0x7ec0ee:s=1920x1080:r=24'),
      ...generated('color=0x3c8d40:s=1920x360:r=24'),
      ...generated('color=0xe9b44c:s=260x420:r=24'),
      ...generated(
        "color=0xd1495b:s=300x300:r=24:d=0.05,format=yuva444p,geq=lum='p(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='255*lt(hypot(X-150,Y-150),148)',loop=-1:1",
      ),
    ],
    filters:
      "[0][1]overlay=0:720[a];[a][2]overlay='300+240*t':'380+60*sin(6*t)'[b];[b][3]overlay='1300-260*t':'480-abs(380*sin(3*t))'",
  },
  {
    name: 'gradients',
    frameRate: 30,
    inputs: generated('gradients=s=1280x720:r=30:speed=0.02:n=4:seed=5'),
    filters: 'null',
  },
  {
    name: 'film grain',
    frameRate: 24,
    inputs: still(textures[0]!, 24),
    filters: `${view('1920x1080', 1920, 1080, '60*t', '20*t')},noise=c0s=12:c0f=t:all_seed=1`,
  },
  {
    name: 'fast motion',
    frameRate: 50,
    inputs: [...still(textures[1]!, 50), ...generated('testsrc=s=240x240:r=50')],
    filters: `[0]${view('1280x720', 1280, 720, "'640+600*sin(1.7*t)'", "'360+340*sin(2.3*t)'")}[a];[a][1]overlay='640+500*sin(4*t)':'300+280*sin(5*t)'`,
  },
  {
    name: 'talking head',
    frameRate: 30,
    inputs: [...still(textures[2]!, 30), ...still(textures[0]!, 30)],
    filters: [
      `[0]crop=1920:1080,gblur=sigma=6,scale=1280:720,${hold}[back]`,
      "[1]crop=720:960,scale=360:480,format=yuva444p,geq=lum='40+0.6*p(X,Y)':cb='116':cr='146':a='255*lt(hypot((X-180)/170,(Y-240)/230),1)',loop=-1:1[head]",
      "[back][head]overlay='460+14*sin(1.3*t)':'150+9*sin(2.1*t)',noise=c0s=3:c0f=t:all_seed=2",
    ].join(';'),
  },
  {
    name: 'noise',
    frameRate: 30,
    inputs: generated('testsrc2=s=1280x720:r=30'),
    filters: 'noise=alls=40:allf=t:all_seed=3',
  },
  {
    name: 'fades',
    frameRate: 25,
    inputs: still(textures[1]!, 25),
    filters: `${view('1280x720', 1920, 1080, '30*t', '10*t')},fade=in:0:25,fade=out:45:20:color=white:enable='lt(n,65)',fade=in:65:15:color=white:enable='gte(n,65)',fade=out:85:15`,
  },
  {
    name: 'dark scene',
    frameRate: 24,
    inputs: still(textures[2]!, 24),
    filters: `${view('1920x1080', 1920, 1080, '25*t', '0')},lutyuv=y='16+(val-16)*0.16':u='128+(val-128)*0.4':v='128+(val-128)*0.4',noise=c0s=4:c0f=t:all_seed=4`,
  },
  {
    name: 'cuts',
    frameRate: 30,
    inputs: [...still(textures[0]!, 30), ...still(textures[1]!, 30), ...still(slides[1]!, 30)],
    filters: [
      `[0]${view('1280x720', 1920, 1080, '90*t', '0')},trim=end=0.9[a]`,
      `[1]${view('1280x720', 1280, 720, "'200*t'", "'300-100*t'")},trim=end=1.1[b]`,
      `[2]scale=1280:720,setsar=1,${hold},trim=end=0.6[c]`,
      `[0]${view('1280x720', 960, 540, '800', "'500+60*t'")},trim=end=2[d]`,
      '[a][b][c][d]concat=n=4',
    ].join(';'),
  },
  {
    name: 'hand-held portrait',
    frameRate: 30,
    inputs: still(textures[1]!, 30),
    filters: `${view('720x1280', 720, 1280, "'900+26*sin(2.2*t)+7*sin(9*t)'", "'80+22*sin(3.1*t)+5*sin(11*t)'")},noise=c0s=5:c0f=t:all_seed=5`,
  },
  {
    name: 'water',
    frameRate: 25,
    inputs: [...still(textures[2]!, 25), ...still(textures[0]!, 25), ...still(textures[1]!, 25)],
    filters: [
      `[0]scale=1280:720,${hold}[picture]`,
      `[1]gblur=sigma=20,${view('1280x720', 1280, 720, "'300*t'", "'90*t'")}[x]`,
      `[2]gblur=sigma=20,${view('1280x720', 1280, 720, "'120*t'", "'200*t'")}[y]`,
      '[picture][x][y]displace=edge=mirror',
    ].join(';'),
  },
  { name: 'test card', frameRate: 30, inputs: generated('testsrc2=s=1920x1080:r=30'), filters: 'null' },
  {
    name: 'pixel game',
    frameRate: 30,
    inputs: generated('life=s=160x90:r=10:mold=10:ratio=0.2:seed=7:death_color=0x702020:life_color=0x30d060'),
    filters: 'fps=30,scale=1280:720:flags=neighbor',
  },
  {
    name: 'small',
    frameRate: 15,
    inputs: still(textures[0]!, 15),
    filters: `${view('426x240', 1280, 720, '80*t', '40*t')},noise=c0s=6:c0f=t:all_seed=6`,
  },
];

/** The beginning of a file. */
export const fileClip = (file: string): Clip => ({ name: basename(file), inputs: ['-i', file], filters: 'null' });

/**
 * argv that writes a clip without loss, so that the measured loss is that of the rungs alone, and the bitrate of the
 * source lowers that of the rungs only in the simplest clips.
 */
export const clipArgs = ({ inputs, filters, frameRate }: Clip, file: string): string[] => [
  ...inputs,
  ...['-filter_complex', filters, '-t', String(clipSeconds), ...(frameRate ? ['-r', String(frameRate)] : []), '-an'],
  ...['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-g', '60', '-y', file],
];
