import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { changeFile, turnVideo, zeroMatrices } from '../support/clips/mp4.ts';
import { h264, makeClip, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg, packetsOf } from '../support/ffmpeg.ts';
import { readIndex } from '../support/plan.ts';
import { probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();
const index = () => readIndex(files.store.objects.get('index.json.gz')!);

describe('a valid file', () => {
  test('is described by its packets, and its frames are indexed', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=d=2:r=44100', '-c:a', 'aac', '-metadata:s:a:0', 'language=ger'];
    const source = await makeClip(files.path('a.mp4'), '30000/1001', 2, ...sound, ...h264, '-bf', '3', '-g', '24');
    const probed = await probeFile(files.store, source);
    expect(probed).toMatchObject({
      formatName: 'mov,mp4,m4a,3gp,3g2,mj2',
      sizeBytes: (await readFile(source)).length,
      video: {
        streamIndex: 0,
        codec: 'h264',
        width: 320,
        height: 180,
        rotationDegrees: 0,
        interlaced: false,
        sampleAspectRatio: { num: 1, den: 1 },
        pixelFormat: 'yuv420p',
        bitDepth: 8,
        averageFrameRate: { num: 30000, den: 1001 },
        constantFrameRate: true,
        frameCount: 60,
        timeBase: { num: 1, den: 30000 },
        startPts: 0,
        endPts: 60060,
      },
      audio: [{ streamIndex: 1, codec: 'aac', sampleRateHz: 44100, channels: 1, language: 'de', isDefault: true }],
    });
    expect(probed.durationSeconds).toBeCloseTo(2.002, 1);
    expect(probed.meta).toMatchObject({ streams: [{ codec_name: 'h264' }, { codec_name: 'aac' }] });
    expect(index()).toMatchObject({ ptsDeltas: [0, ...Array(59).fill(1001)], keyFrames: [0, 24, 48] });
  });

  test('with variable frame times has no constant rate, and all times are in its index', async () => {
    const drop = ['-vf', "select='not(mod(n,2))+not(mod(n,7))'", '-fps_mode', 'passthrough'];
    const source = await makeClip(files.path('vfr.mkv'), '30', 2, ...drop, ...h264);
    const probed = await probeFile(files.store, source);
    expect(probed.video).toMatchObject({ constantFrameRate: false });
    const shown = (await packetsOf(source)).map(({ pts }) => pts);
    expect(index().ptsDeltas).toEqual(shown.map((pts, n) => (n === 0 ? pts : pts - shown[n - 1]!)));
  });

  test('that lost a few frames keeps its frame rate', async () => {
    const source = await makeClip(
      files.path('lossy.mp4'),
      '25',
      3,
      '-vf',
      'select=not(eq(n\\,30))',
      '-fps_mode',
      'passthrough',
      ...h264,
    );
    expect((await probeFile(files.store, source)).video).toMatchObject({
      gridFrameRate: { num: 25, den: 1 },
      constantFrameRate: false,
      frameCount: 74,
    });
  });

  test('has no frames before the start of its edit list', async () => {
    const whole = await makeClip(files.path('whole.mp4'), '25', 3, ...h264, '-g', '50', '-bf', '0');
    const cut = files.path('cut.mp4');
    await ffmpeg('-ss', '1', '-i', whole, '-c', 'copy', cut);
    expect((await probeFile(files.store, cut)).video).toMatchObject({ startPts: 0, frameCount: 50 });
  });

  test('with an invalid display matrix is upright, and the matrix is not kept', async () => {
    const source = await makeClip(files.path('zeros.mp4'), '25', 0.4, ...h264);
    await changeFile(source, zeroMatrices);
    const probed = await probeFile(files.store, source);
    expect(probed.video).toMatchObject({ rotationDegrees: 0, width: 320, height: 180 });
    // ffprobe 7 adds a rotation of 0.
    expect(probed.meta.streams?.[0]?.side_data_list).toMatchObject([{ side_data_type: 'Display Matrix' }]);
    expect(JSON.stringify(probed.meta)).not.toContain('displaymatrix');
  });

  test('has its rotation, pixel aspect ratio, interlacing, colour and bit depth', async () => {
    const turned = await makeClip(files.path('turned.mov'), '25', 0.4, '-vf', 'setsar=4/3', ...h264);
    await changeFile(turned, (bytes) => turnVideo(bytes, 90));
    expect((await probeFile(files.store, turned)).video).toMatchObject({
      rotationDegrees: 90,
      sampleAspectRatio: { num: 4, den: 3 },
    });
    const fields = ['-vf', 'interlace', '-c:v', 'mpeg2video', '-flags', '+ilme+ildct'];
    const interlaced = await makeClip(files.path('fields.ts'), '50', 1, ...fields);
    expect((await probeFile(files.store, interlaced)).video).toMatchObject({ interlaced: true, codec: 'mpeg2video' });
    const hlg = ['-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params'];
    const params = 'colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020nc:log-level=error';
    const deep = await makeClip(files.path('hlg.mkv'), '25', 0.4, ...hlg, params);
    expect((await probeFile(files.store, deep)).video).toMatchObject({
      bitDepth: 10,
      colorPrimaries: 'bt2020',
      colorTransfer: 'arib-std-b67',
      colorSpace: 'bt2020nc',
    });
  });

  test('with a cover image only has no video', async () => {
    const cover = await makeClip(files.path('cover.jpg'), '25', 1, '-frames:v', '1');
    const song = files.path('song.mp3');
    await ffmpeg(
      ...['-f', 'lavfi', '-i', 'sine=d=1', '-i', cover, '-map', '0', '-map', '1', '-c:v', 'copy'],
      ...['-disposition:v', 'attached_pic', song],
    );
    expect(await probeFile(files.store, song)).toMatchObject({ video: null, audio: [{ codec: 'mp3' }] });
    expect(files.store.objects.has('index.json.gz')).toBe(false);
  });

  test('with large tags does not publish them', async () => {
    const tagged = ['-metadata', `comment=${'x'.repeat(100_000)}`, '-metadata:s:v:0', `title=${'y'.repeat(50_000)}`];
    const source = await makeClip(files.path('tagged.mkv'), '25', 0.4, ...tagged, ...h264);
    const { meta } = await probeFile(files.store, source);
    expect(JSON.stringify(meta).length).toBeLessThan(4000);
  });
});

describe('rejects', () => {
  const rejects = async (bytes: Buffer | string, code: string): Promise<void> => {
    const file = files.path('upload');
    await writeFile(file, bytes);
    await expect(probeFile(files.store, file)).rejects.toMatchObject({ code, fatal: true });
  };

  test('an empty file', () => rejects('', 'INPUT_EMPTY'));
  test('text', () => rejects('Dear sir or madam,\n'.repeat(200), 'INPUT_NOT_MEDIA'));
  test('noise', () => rejects(randomBytes(100_000), 'INPUT_NOT_MEDIA'));

  test('an image and an archive', async () => {
    const picture = await makeClip(files.path('picture.png'), '25', 1, '-frames:v', '1');
    await rejects(await readFile(picture), 'INPUT_NOT_MEDIA');
    const archive = files.path('archive.gz');
    await writeFile(files.path('inside'), randomBytes(5000));
    await promisify(execFile)('sh', ['-c', 'gzip -c "$1" > "$2"', 'sh', files.path('inside'), archive]);
    await rejects(await readFile(archive), 'INPUT_NOT_MEDIA');
  });

  test('an MP4 without its end, which had the index', async () => {
    const whole = await readFile(await makeClip(files.path('to-truncate.mp4'), '25', 2, ...h264));
    await rejects(whole.subarray(0, whole.length / 2), 'INPUT_TRUNCATED');
  });

  test('an MP4 without its end, with the index at the start', async () => {
    const clip = await makeClip(files.path('index-first.mp4'), '25', 2, ...h264, '-movflags', '+faststart');
    const whole = await readFile(clip);
    await rejects(whole.subarray(0, whole.length / 2), 'INPUT_TRUNCATED');
  });

  test('an MP4 without its end, with a codec that requires to read the whole file', async () => {
    const clip = await makeClip(files.path('mpeg1.mp4'), '25', 2, '-c:v', 'mpeg1video', '-movflags', '+faststart');
    const whole = await readFile(clip);
    await rejects(whole.subarray(0, whole.length / 2), 'INPUT_TRUNCATED');
  });

  test('subtitles only', async () => {
    const subtitles = files.path('subtitles.srt');
    await writeFile(subtitles, '1\n00:00:00,000 --> 00:00:01,000\nHello\n');
    const only = files.path('subtitles.mkv');
    await ffmpeg('-i', subtitles, only);
    await rejects(await readFile(only), 'INPUT_NO_TRACKS');
  });

  test('a playlist, and opens neither a local file nor a connection', async () => {
    let connections = 0;
    const victim = createServer((_, response) => void response.end()).on('connection', () => connections++);
    victim.listen(0, '127.0.0.1');
    await once(victim, 'listening');
    const { port } = victim.address() as AddressInfo;
    const secret = await makeClip(files.path('secret.ts'), '25', 0.4, ...h264);
    const head = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n';
    for (const playlist of [
      `${head}http://127.0.0.1:${port}/a.ts\n#EXT-X-ENDLIST\n`,
      `${head}file://${secret}\n#EXT-X-ENDLIST\n`,
      `${head}concat:${secret}|http://127.0.0.1:${port}/\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile ${secret}\n`,
      `<?xml version="1.0"?><MPD><Period><BaseURL>http://127.0.0.1:${port}/</BaseURL></Period></MPD>`,
    ]) {
      await rejects(playlist, 'INPUT_NOT_MEDIA');
    }
    expect(connections).toBe(0);
    victim.close();
  });
});

test('a missing source has its own error code', async () => {
  files.store.failNext(404);
  const source = await makeClip(files.path('gone.mp4'), '25', 0.4, ...h264);
  await expect(probeFile(files.store, source)).rejects.toMatchObject({ code: 'INPUT_GONE', fatal: true });
});

test('a store that rejects requests is not fatal', async () => {
  files.store.failNext(405);
  const source = await makeClip(files.path('rejected.mp4'), '25', 0.4, ...h264);
  await expect(probeFile(files.store, source)).rejects.toMatchObject({ code: 'STORE_FAILED', fatal: false });
});
