import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { h264, makeClapper, makeClip, useStoreAndFolder } from '../support/clips.ts';
import { beepSeconds, ffmpeg, packetsOf } from '../support/ffmpeg.ts';
import { smallRung } from '../support/plan.ts';
import { encodeInChunks, encodeTrack, filesOf, joinTrack, probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();
const small = ['-s', '96x64'];
const tone = (seconds: number, hz = 440): string[] => ['-f', 'lavfi', '-i', `sine=f=${hz}:d=${seconds}:r=48000`];

describe('what ffmpeg does not find in the first 5 MB or 5 s of a file', () => {
  test('is found and encoded: sound that begins after 9 s', async () => {
    const clip = { seconds: 3, atSeconds: 1, videoOffset: 0, audioOffset: 9 };
    await makeClapper(files.path('late.mkv'), clip);
    const still = ['-f', 'lavfi', '-i', 'color=s=96x64:r=10:d=12', '-i', files.path('late.mkv')];
    const source = files.path('late.ts');
    await ffmpeg(...still, '-map', '0:v', '-map', '1:a', ...h264, '-c:a', 'aac', '-muxdelay', '0', source);
    const probed = await probeFile(files.store, source);
    expect(probed).toMatchObject({ warnings: [], video: { streamIndex: 0 }, audio: [{ codec: 'aac', channels: 1 }] });
    expect(probed.audio[0]!.startSeconds).toBeGreaterThan(8.9);
    // listed without larger limits, so that jobs need none
    expect(probed.probeBytes).toBeUndefined();
    const originSeconds = probed.video!.startPts / 90_000;
    expect(Math.abs((await beepSeconds(await encodeSound(probed, originSeconds))) - 10)).toBeLessThan(0.02);
  });

  test('is found: sound that begins after 5 MB', async () => {
    const noise = ['-f', 'lavfi', '-i', 'testsrc2=s=480x270:r=25:d=3,noise=alls=100:allf=t', '-itsoffset', '2.5'];
    const source = files.path('large.ts');
    await ffmpeg(...noise, ...tone(0.5), '-c:v', 'mpeg2video', '-qscale:v', '1', '-c:a', 'mp2', source);
    expect((await readFile(source)).length).toBeGreaterThan(7e6);
    expect(await probeFile(files.store, source)).toMatchObject({
      warnings: [],
      audio: [{ codec: 'mp2', channels: 1 }],
    });
  });

  test('is found and encoded: the first key frame of a recording that was cut before it', async () => {
    const whole = files.path('whole.ts');
    const gop = ['-g', '100', '-keyint_min', '100'];
    await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=10:d=21', ...h264, ...gop, whole);
    const keyPts = (await packetsOf(whole)).filter(({ key }) => key).map(({ pts }) => pts);
    const bytes = await readFile(whole);
    const source = files.path('cut.ts');
    // the second key frame follows after 9 s
    await writeFile(source, bytes.subarray(188 * Math.ceil(bytes.length / 188 / 21)));
    const probed = await probeFile(files.store, source);
    expect(probed).toMatchObject({ warnings: [], video: { width: 96, height: 64, startPts: keyPts[1] } });
    const { results } = await encodeInChunks(files.store, probed, [smallRung('v', { width: 96, height: 64 })]);
    expect(results.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
  });

  test('is found: VP9 that begins after 7 s of sound', async () => {
    const late = ['-itsoffset', '7', '-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=10:d=2', ...tone(9)];
    const source = files.path('late.webm');
    await ffmpeg(...late, '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-c:a', 'libopus', source);
    expect(await probeFile(files.store, source)).toMatchObject({
      warnings: [],
      video: { codec: 'vp9', pixelFormat: 'yuv420p', frameCount: 20 },
      audio: [{ codec: 'opus' }],
    });
  });

  test('is found and encoded: sound in the middle of a program stream, which lists no streams', async () => {
    const middle = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=24', '-itsoffset', '9', ...tone(2)];
    const source = files.path('middle.mpg');
    await ffmpeg(...middle, '-c:v', 'mpeg2video', '-b:v', '1000k', '-c:a', 'mp2', '-f', 'vob', source);
    const probed = await probeFile(files.store, source);
    expect(probed).toMatchObject({ warnings: [], probeBytes: 50_000_000, audio: [{ streamIndex: 1, codec: 'mp2' }] });
    await encodeSound(probed, 0);
  });

  async function encodeSound(probed: Awaited<ReturnType<typeof probeFile>>, originSeconds: number): Promise<string> {
    const { streamIndex, startSeconds, durationSeconds } = probed.audio[0]!;
    const rendition = {
      name: 'a0',
      streamIndex,
      codec: 'aac' as const,
      bitrateBps: 96_000,
      channels: 1,
      sampleRateHz: 48_000,
      language: 'en',
      loudnessLufs: null,
      segmentSeconds: 4,
    };
    const { track } = await encodeTrack(files.store, {
      rendition,
      originSeconds,
      durationSeconds: startSeconds + durationSeconds - originSeconds,
      ...(probed.probeBytes && { probeBytes: probed.probeBytes }),
    });
    const joined = files.path('sound.mp4');
    await joinTrack(files.store, [track.init.file, ...filesOf(track)], joined);
    return joined;
  }
});

describe('of several video tracks', () => {
  const video = (size: string, rate: number, seconds: number): string[] => [
    ...['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${rate}:d=${seconds}`],
  ];

  test('a JPEG before the video is left out, although it is flagged as default', async () => {
    const picture = await makeClip(files.path('picture.jpg'), '1', 1, '-frames:v', '1', ...small);
    const source = files.path('picture.mkv');
    const flags = ['-disposition:v:0', 'default', '-disposition:v:1', '0'];
    const tracks = ['-i', picture, ...video('64x48', 25, 2), ...tone(2), '-map', '0', '-map', '1', '-map', '2'];
    await ffmpeg(...tracks, ...flags, '-c:v:0', 'copy', '-c:v:1', 'libx264', source);
    const probed = await probeFile(files.store, source);
    expect(probed).toMatchObject({ warnings: [], video: { streamIndex: 1, frameCount: 50 } });
    expect(probed.decisions).toEqual([
      {
        code: 'video_track_left_out',
        message: 'Video track 0 is left out: only a few pictures.',
        facts: { streams: [0], reason: 'pictures' },
      },
    ]);
  });

  test('the enabled one of an MP4 is chosen, with a warning', async () => {
    const source = files.path('disabled.mp4');
    const flags = ['-disposition:v:0', '0', '-disposition:v:1', 'default'];
    await ffmpeg(
      ...video('96x64', 25, 1),
      ...video('64x48', 25, 1),
      '-map',
      '0',
      '-map',
      '1',
      ...flags,
      ...h264,
      source,
    );
    const probed = await probeFile(files.store, source);
    const message =
      'The file has 2 video tracks, of which one is encoded: track 1. ' +
      'Track 0 is left out: disabled, or not the default track.';
    expect(probed).toMatchObject({ warnings: [message], video: { streamIndex: 1, width: 64 } });
    expect(probed.decisions).toEqual([
      { code: 'video_track_chosen', message, facts: { stream: 1, streams: [0], reason: 'default' } },
    ]);
  });

  test('that of a program is chosen, with the sound of this program only', async () => {
    const source = files.path('programs.ts');
    const tracks = [...video('64x48', 25, 1), ...tone(1), ...video('96x64', 25, 1), ...tone(1, 880)];
    const programs = ['-program', 'program_num=1:st=0:st=1', '-program', 'program_num=2:st=2:st=3'];
    const maps = ['0', '1', '2', '3'].flatMap((input) => ['-map', input]);
    await ffmpeg(...tracks, ...maps, ...programs, ...h264, '-c:a', 'aac', source);
    const probed = await probeFile(files.store, source);
    expect(probed).toMatchObject({ video: { streamIndex: 2, width: 96 }, audio: [{ streamIndex: 3 }] });
    const message = 'The file has 2 programs: program 2 is used. Upload the others as separate files.';
    expect(probed.warnings).toEqual([message]);
    expect(probed.decisions).toEqual([
      { code: 'program_chosen', message, facts: { program: 2, programs: [1, 2], streams_left_out: [0, 1] } },
    ]);
  });

  test('a file with one needs no decision', async () => {
    const source = await makeClip(files.path('one.mp4'), '25', 0.4, ...h264);
    expect((await probeFile(files.store, source)).decisions).toEqual([]);
  });
});
