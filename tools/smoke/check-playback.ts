import { setTimeout as sleep } from 'node:timers/promises';
import { XMLParser } from 'fast-xml-parser';
import HLS from 'hls-parser';
import type { components } from '../../client/api-types.ts';

/**
 * Fetches the manifests and the first and last segments of a source, and a URL that must be refused.
 * @returns a summary for the operator
 * @throws Error that describes the problem
 */
export async function checkPlayback({ format, url }: components['schemas']['Source']): Promise<string> {
  await expectRefused(url);
  if (format === 'hls') return checkHls(url);
  if (format === 'dash') return checkDash(url);
  return checkFile(url);
}

/** Fetches the URL with a modified token. */
async function expectRefused(url: string): Promise<void> {
  const tampered = url.replace(/\/videos\//, (found) => `x${found}`);
  const { status } = await fetch(tampered);
  if (status !== 403) throw new Error(`a modified URL is answered with ${status}, not 403`);
}

async function checkHls(url: string): Promise<string> {
  const main = HLS.parse(await text(url));
  if (!main.isMasterPlaylist || main.variants.length === 0) throw new Error('the HLS manifest has no variant');
  const variants = main.variants.filter(({ isIFrameOnly }) => !isIFrameOnly);
  const urls = variants.map(({ uri }) => new URL(uri, url).href);
  for (const each of urls) {
    const playlist = HLS.parse(await text(each));
    if (playlist.isMasterPlaylist || playlist.segments.length === 0) throw new Error(`${each} has no segments`);
    for (const segment of [playlist.segments[0], playlist.segments.at(-1)]) {
      if (segment?.map) await bytes(new URL(segment.map.uri, each).href);
      if (segment) await bytes(new URL(segment.uri, each).href);
    }
  }
  return `${urls.length} variants`;
}

async function checkDash(url: string): Promise<string> {
  const { MPD } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(await text(url));
  const seconds = /^PT([\d.]+)S$/.exec(MPD?.mediaPresentationDuration ?? '')?.[1];
  if (seconds === undefined) throw new Error('the DASH manifest has no duration');
  return `${seconds} s`;
}

/** Players seek with range requests. */
async function checkFile(url: string): Promise<string> {
  const response = await fetch(url, { headers: { range: 'bytes=0-1023' } });
  const body = await response.arrayBuffer();
  if (response.status !== 206 || body.byteLength !== 1024)
    throw new Error(`a range request for the file is answered with ${response.status}`);
  return `${response.headers.get('content-range')?.split('/')[1]} bytes`;
}

/** Fetches the poster. Browsers need its content type. */
export async function checkImage(url: string): Promise<string> {
  const response = await fetch(url);
  const { byteLength } = await response.arrayBuffer();
  const type = response.headers.get('content-type') ?? 'no type';
  if (response.status !== 200 || byteLength === 0 || !type.startsWith('image/'))
    throw new Error(`the poster is answered with ${response.status} and ${byteLength} bytes of ${type}`);
  return `${byteLength} bytes`;
}

const maxPlaybackSeconds = 60;

/** Waits until no URL of a deleted video is delivered any more. Returns the seconds that it took. */
export async function untilStopped(urls: readonly string[]): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const responses = await Promise.all(urls.map((url) => fetch(url, { method: 'HEAD' })));
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    if (responses.every(({ status }) => status === 404)) return seconds;
    if (seconds > maxPlaybackSeconds) throw new Error(`a deleted video still plays after ${seconds} s`);
    await sleep(1000);
  }
}

const text = async (url: string): Promise<string> => new TextDecoder().decode(await bytes(url));

async function bytes(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  const body = await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${new URL(url).pathname} is answered with ${response.status}`);
  if (body.byteLength === 0) throw new Error(`${new URL(url).pathname} is empty`);
  return body;
}
