import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOrThrow } from '../../test/journey/support/ffmpeg.ts';

/** One second of video and audio in each container, a few kilobytes each, by name. */
export type Clips = ReadonlyMap<string, Buffer>;

const video = ['-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=10:d=1'];
const audio = ['-f', 'lavfi', '-i', 'sine=d=1:r=22050'];
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '5', '-bf', '1', '-c:a', 'aac'];

const recipes: Record<string, string[]> = {
  'clip.mp4': [...video, ...audio, ...h264],
  'fast.mp4': [...video, ...audio, ...h264, '-movflags', '+faststart'],
  'fragments.mp4': [...video, ...audio, ...h264, '-movflags', '+frag_keyframe+empty_moov+default_base_moof'],
  'plain.mov': [...video, ...audio, '-c:v', 'mjpeg', '-c:a', 'pcm_s16le'],
  'sound.m4a': [...audio, '-c:a', 'aac'],
  'clip.mkv': [...video, ...audio, ...h264],
  'clip.webm': [...video, ...audio, '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'],
  'clip.ts': [...video, ...audio, ...h264],
  'clip.mpg': [...video, ...audio, '-r', '25', '-c:v', 'mpeg2video', '-c:a', 'mp2'],
  'clip.avi': [...video, ...audio, '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  'clip.ogv': [...video, ...audio, '-c:v', 'libtheora', '-c:a', 'libvorbis'],
  'clip.flv': [...video, ...audio, '-c:v', 'flv1', '-c:a', 'libmp3lame'],
  'clip.asf': [...video, ...audio, '-c:v', 'wmv2', '-c:a', 'wmav2'],
  'sound.wav': [...audio, '-c:a', 'pcm_s16le'],
  'sound.mp3': [...audio, '-c:a', 'libmp3lame'],
  'sound.opus': [...audio, '-c:a', 'libopus'],
  'sound.flac': [...audio, '-c:a', 'flac'],
  'clip.gif': [...video],
  'picture.png': [...video, '-frames:v', '1'],
  'picture.jpg': [...video, '-frames:v', '1'],
  'picture.webp': [...video, '-frames:v', '1'],
  'low.mp4': ['-f', 'lavfi', '-i', 'testsrc=s=1200x16:r=10:d=0.5', ...h264],
  'narrow.webm': ['-f', 'lavfi', '-i', 'testsrc=s=2x600:r=10:d=0.5', '-c:v', 'libvpx'],
  'wide.mp4': ['-f', 'lavfi', '-i', 'color=s=8192x16:r=5:d=0.4', ...h264],
  'tall.mkv': ['-f', 'lavfi', '-i', 'color=s=16x4320:r=5:d=0.4', ...h264],
  'tiny.mkv': ['-f', 'lavfi', '-i', 'testsrc=s=2x2:r=10:d=0.5', '-c:v', 'ffv1'],
  'too-large.mkv': [
    '-f',
    'lavfi',
    '-i',
    'color=s=12000x4000:r=1',
    '-frames:v',
    '1',
    '-c:v',
    'ffv1',
    '-pix_fmt',
    'gray',
  ],
  'quick.mp4': ['-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=1000:d=0.3', ...h264, '-video_track_timescale', '1000'],
  'slow.mkv': ['-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=1/20:d=100', ...h264],
  'far.mp4': [
    ...video,
    '-frames:v',
    '2',
    '-vf',
    'setpts=N*100000/TB',
    '-fps_mode',
    'passthrough',
    ...h264,
    '-video_track_timescale',
    '1000',
  ],
  'one-frame.mp4': [...video, '-frames:v', '1', ...h264],
  'one-sample.wav': [...audio, '-af', 'atrim=end_sample=1', '-c:a', 'pcm_s16le'],
  'many-channels.wav': ['-f', 'lavfi', '-i', 'sine=d=0.5:r=8000', '-af', 'pan=24c|c23=c0', '-c:a', 'pcm_s16le'],
  'high-rate.wav': ['-f', 'lavfi', '-i', 'sine=d=0.2:r=384000', '-c:a', 'pcm_s16le'],
  'low-rate.wav': ['-f', 'lavfi', '-i', 'sine=d=1:r=100:f=20', '-c:a', 'pcm_s16le'],
  'many-tracks.mkv': [...audio, ...Array(40).fill(['-map', '0']).flat(), '-c:a', 'libopus', '-b:a', '8k', '-t', '0.2'],
};

/** Makes all clips in a folder, which takes some seconds. */
export async function makeClips(folder: string): Promise<Clips> {
  const clips = new Map<string, Buffer>();
  for (const [name, args] of Object.entries(recipes)) {
    const file = join(folder, name);
    await runOrThrow('ffmpeg', ['-y', ...args, file]);
    clips.set(name, await readFile(file));
  }
  return clips;
}

export function clipOf(clips: Clips, name: string): Buffer {
  const clip = clips.get(name);
  if (!clip) throw new Error(`no clip ${name}`);
  return Buffer.from(clip);
}
