import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ffmpegArgs, untrustedInputArgs } from '../../../encoder-task/ffmpeg/input-args.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { box, smallMovie } from '../support/clips/mp4.ts';
import { h264, makeClip, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { probeFile } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();
let connections = 0;
const victim = createServer((_, response) => void response.end('secret')).on('connection', () => connections++);
let address: string;
let secret: string;

beforeAll(async () => {
  victim.listen(0, '127.0.0.1');
  await once(victim, 'listening');
  address = `http://127.0.0.1:${(victim.address() as AddressInfo).port}/x`;
  secret = await makeClip(files.path('secret.ts'), '25', 0.4, ...h264);
});
afterAll(() => void victim.close());

async function rejects(content: string | Buffer, code = /^INPUT_/): Promise<void> {
  const file = files.path('upload.mp4');
  await writeFile(file, content);
  const started = probeFile(files.store, file);
  await expect(started).rejects.toMatchObject({ code: expect.stringMatching(code), fatal: true });
  await expect(started).rejects.toThrow(/^[A-Z][^\n]+\.$/);
}

describe('a file that refers to others is rejected without opening a file or a connection', () => {
  const playlist = (uri: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${uri}\n#EXT-X-ENDLIST\n`;
  const mpd = (uri: string) =>
    `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>${uri}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
  const lists: [string, (uri: string) => string][] = [
    ['HLS', playlist],
    ['HLS with a key', (uri) => playlist('a.ts').replace('#EXTINF', `#EXT-X-KEY:METHOD=AES-128,URI="${uri}"\n#EXTINF`)],
    ['HLS master', (uri) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${uri}\n`],
    ['DASH', mpd],
    ['concat', (uri) => `ffconcat version 1.0\nfile '${uri}'\n`],
    [
      'SDP',
      (uri) =>
        `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\na=control:${uri}\nm=video 9 RTP/AVP 96\n`,
    ],
    [
      'SVG',
      (uri) =>
        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><image xlink:href="${uri}"/></svg>`,
    ],
    [
      'IMF',
      (uri) =>
        `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>${uri}</Id></CompositionPlaylist>`,
    ],
    ['ASX', (uri) => `<asx version="3.0"><entry><ref href="${uri}"/></entry></asx>`],
    ['RealMedia reference', (uri) => `${uri}\n`],
  ];
  test.each(sampled(lists, ['HLS', 'DASH', 'concat', 'RealMedia reference']))('%s', async (_, list) => {
    const before = connections;
    for (const uri of [address, `file://${secret}`, `concat:${secret}|${address}`])
      await rejects(list(uri), /^INPUT_NOT_MEDIA$/);
    expect(connections).toBe(before);
  });

  test('media in another file, by alias or URL', async () => {
    const before = connections;
    const path = Buffer.alloc(2 + secret.length + (secret.length % 2));
    path.writeUInt16BE(secret.length, 0);
    path.write(secret, 2, 'latin1');
    const alias = Buffer.concat([
      Buffer.alloc(150),
      Buffer.from([0, 2]),
      Buffer.from([0, secret.length]),
      path,
      Buffer.from([0xff, 0xff, 0, 0]),
    ]);
    await rejects(smallMovie({}, { dref: box('alis', 0, alias) }));
    await rejects(smallMovie({}, { dref: box('url ', 0, `${address}\0`) }));
    expect(connections).toBe(before);
  });

  test('a Matroska file with such files as attachment and subtitles', async () => {
    const before = connections;
    const [note, file] = [files.path('note.m3u8'), files.path('attached.mkv')];
    await writeFile(note, playlist(address));
    await ffmpeg('-i', secret, '-c', 'copy', '-attach', note, '-metadata:s:t', 'mimetype=application/x-mpegurl', file);
    expect((await probeFile(files.store, file)).video?.codec).toBe('h264');
    expect(connections).toBe(before);
  });

  test('ffmpeg accepts only the loopback server and real containers', () => {
    const valuesOf = (option: string) => untrustedInputArgs[untrustedInputArgs.indexOf(option) + 1]?.split(',');
    expect(valuesOf('-protocol_whitelist')).toEqual(['http', 'tcp']);
    for (const list of ['hls', 'dash', 'concat', 'sdp', 'rtsp', 'image2', 'lavfi', 'tee', 'imf', 'svg_pipe'])
      expect(valuesOf('-format_whitelist')).not.toContain(list);
    expect(ffmpegArgs).toContain('-max_alloc');
  });
});

describe('a file that needs too many resources is rejected or limited', () => {
  test('a GIF of a few bytes that decodes to gigabytes', async () => {
    const clip = await makeClip(files.path('small.gif'), '10', 0.4);
    const bytes = await readFile(clip);
    bytes.writeUInt16LE(65_535, 6);
    bytes.writeUInt16LE(65_535, 8);
    await rejects(bytes, /^INPUT_TOO_LARGE$|^INPUT_UNSUPPORTED$/);
  });

  test('two frames of a few kilobytes, a day apart, do not become a day of video', async () => {
    const file = files.path('distant-frames.mp4');
    const times = ['-vf', 'setpts=N*100000/TB', '-fps_mode', 'passthrough', '-video_track_timescale', '1000'];
    await ffmpeg('-f', 'lavfi', '-i', 'color=s=64x64:r=25', '-frames:v', '2', ...times, ...h264, file);
    expect((await readFile(file)).length).toBeLessThan(5000);
    const query = {
      video: [{ name: 'v', codec: 'h264', height: 64, bitrate: '100k' }],
      outputs: [{ format: 'hls' }],
    };
    await expect(runPlan(files.store, file, query)).rejects.toMatchObject({ code: 'INPUT_TOO_LARGE', fatal: true });
  });

  test('ten thousand frames per second are reduced to the maximum frame rate', async () => {
    const file = files.path('fast.mp4');
    await ffmpeg('-f', 'lavfi', '-i', 'color=s=32x32:r=10000:d=0.5', ...h264, '-video_track_timescale', '10000', file);
    const { video, durationSeconds } = await probeFile(files.store, file);
    expect(video).toMatchObject({ gridFrameRate: { num: 60, den: 1 }, constantFrameRate: false, frameCount: 5000 });
    expect(durationSeconds).toBeCloseTo(0.5, 1);
  });
});
