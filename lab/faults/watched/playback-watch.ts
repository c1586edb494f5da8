import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Refused } from '../../../test/journey/support/client.ts';
import { patientFetch } from '../service/patient-fetch.ts';
import { growthViolations, type Playlist, readPlaylist } from './playlist.ts';

/** A viewer of a video from its upload on. */
export type PlaybackWatch = {
  /** Resolves when the video plays while it is encoded, or with false when it ended before. */
  untilPlaying(): Promise<boolean>;
  /** Resolves when the end of a failed run was seen and its playlists were checked. */
  untilFailureSeen(): Promise<void>;
  /** Ends the watch and checks the last state. */
  stop(): Promise<PlaybackReport>;
};

export type PlaybackReport = { violations: string[]; played: boolean; lookedAt: number };

type Source = { format: string; status: string; url: string };
type State = { status: string; isThere: boolean };

const lookEveryMs = 700;
/** By then the last state of a settled video has been seen. */
const stopMs = 20_000;
/** Growing playlists are cached for a second. */
const cachedMs = 2_500;

export function watchPlayback(client: Client, ulid: string): PlaybackWatch {
  const violations: string[] = [];
  const missed = new Set<string>();
  const known = new Map<string, Playlist>();
  const checked = new Set<string>();
  const started = Promise.withResolvers<boolean>();
  const failed = Promise.withResolvers<void>();
  let entry: string | undefined;
  let played = false;
  let endMs = Number.POSITIVE_INFINITY;

  const violated = (sentence: string): void => {
    const whole = `playback of ${ulid}: ${sentence}`;
    if (!missed.has(whole)) violations.push(whole);
    missed.add(whole);
  };

  async function stateNow(): Promise<State> {
    try {
      return { status: (await client.getVideo(ulid)).status, isThere: true };
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return { status: 'gone', isThere: false };
      throw error;
    }
  }

  async function hlsSource(): Promise<Source | undefined> {
    try {
      const { sources } = await client.get<{ sources: Source[] }>(`/api/videos/${ulid}/sources`);
      return sources.find(({ format }) => format === 'hls');
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Undefined when it is not there. */
  async function read(url: string): Promise<Playlist | undefined> {
    const response = await patientFetch(url, {});
    const text = await response.text();
    return response.ok ? readPlaylist(text) : undefined;
  }

  /** Every object that a playlist names is there, unless the video was deleted. */
  async function checkObjects(url: string, { init, segments }: Playlist): Promise<void> {
    for (const path of [init, ...segments]) {
      if (path === undefined) continue;
      const file = new URL(path, url).href;
      if (checked.has(file)) continue;
      const { status } = await patientFetch(file, { method: 'HEAD' });
      if (status === 200) checked.add(file);
      else if ((await stateNow()).isThere) violated(`${nameOf(url)} names ${path}, which answers ${status}`);
    }
  }

  async function lookAt(source: Source): Promise<void> {
    entry = source.url;
    const multivariant = await read(source.url);
    if (!multivariant) {
      if ((await stateNow()).status === 'running') violated('the multivariant playlist is not there');
      return;
    }
    const base = source.url;
    for (const path of multivariant.playlists) {
      const url = new URL(path, base).href;
      const playlist = await read(url);
      if (!playlist) {
        if ((await stateNow()).status === 'running') violated(`the playlist ${path} is not there`);
        continue;
      }
      const before = known.get(path);
      if (before) for (const sentence of growthViolations(path, before, playlist)) violated(sentence);
      known.set(path, playlist);
      await checkObjects(url, playlist);
    }
    played = true;
    started.resolve(true);
  }

  async function checkCompleted(): Promise<void> {
    await sleep(cachedMs);
    const source = await hlsSource();
    if (!source) {
      if ((await stateNow()).status === 'completed') violated('/sources does not list the completed output');
      return;
    }
    if (source.status !== 'completed') return;
    if (entry !== undefined && fileOf(source.url) !== fileOf(entry)) violated('the address changed at the end');
    const multivariant = await read(source.url);
    for (const path of multivariant?.playlists ?? []) {
      const url = new URL(path, source.url).href;
      const playlist = await read(url);
      if (!playlist) {
        if ((await stateNow()).isThere) violated(`the playlist ${path} is not there at the end`);
        continue;
      }
      if (playlist.type !== 'VOD' || !playlist.isEnded) violated(`${path} is ${playlist.type} at the end`);
      const early = known.get(path);
      if (early?.type === 'EVENT' && early.segments.length > playlist.segments.length) {
        violated(`${path} has ${playlist.segments.length} segments, of ${early.segments.length} that it had before`);
      }
      if (early?.type === 'EVENT' && early.isEnded && early.segments.length < playlist.segments.length) {
        violated(`${path} had ended with ${early.segments.length} of ${playlist.segments.length} segments`);
      }
      await checkObjects(url, playlist);
    }
    if (!multivariant && (await stateNow()).isThere) violated('the multivariant playlist is not there at the end');
  }

  async function checkFailed(): Promise<void> {
    await sleep(cachedMs);
    const [source, { status }] = [await hlsSource(), await stateNow()];
    if (status !== 'failed') return;
    if (source?.status === 'running') violated('/sources lists the output of a failed run');
    for (const path of known.keys()) {
      const url = new URL(path, entry).href;
      const playlist = await read(url);
      if (playlist && !playlist.isEnded) violated(`${path} does not end although the video has failed`);
      if (playlist) await checkObjects(url, playlist);
    }
    known.clear();
  }

  async function watch(): Promise<void> {
    for (let seen = ''; Date.now() < endMs; await sleep(lookEveryMs)) {
      const source = await hlsSource();
      if (source?.status === 'running') {
        await lookAt(source);
        seen = 'running';
        continue;
      }
      const { status, isThere } = await stateNow();
      if (!isThere && (seen !== '' || endMs < Number.POSITIVE_INFINITY)) return;
      if (status === 'completed') return await checkCompleted();
      if (status === 'failed' && seen !== 'failed') await checkFailed();
      if (status === 'failed') failed.resolve();
      if (status === 'failed' && endMs < Number.POSITIVE_INFINITY) return;
      if (isThere) seen = status;
    }
  }

  const watching = watch()
    .catch((error: Error) => violated(`the watch failed: ${error.message}`))
    .finally(() => {
      started.resolve(false);
      failed.resolve();
    });

  return {
    untilPlaying: () => started.promise,
    untilFailureSeen: () => failed.promise,
    async stop() {
      endMs = Date.now() + stopMs;
      await watching;
      return { violations, played, lookedAt: checked.size };
    },
  };
}

const nameOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1).replace(/\?.*/, '');
/** Each response has another signature. */
const fileOf = (url: string): string => url.slice(url.indexOf('/videos/'));
