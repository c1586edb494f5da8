import shaka from 'shaka-player';
import type { Source } from './playback-options.ts';
import { reportPlayback } from './playback-report.ts';

type AudioTrack = shaka.extern.AudioTrack;
type VideoTrack = shaka.extern.VideoTrack;

/** Why playback stopped. `expired`: the service refuses the URLs; the page needs new ones. */
export type PlaybackFailure = 'expired' | 'failed';

export type Engine = Awaited<ReturnType<typeof createEngine>>;

/** Adaptive playback of HLS and DASH, and plain playback of files, in a video element. */
export async function createEngine(video: HTMLVideoElement, onFailure: (failure: PlaybackFailure) => void) {
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  await player.attach(video);
  // Text tracks are elements of the page, for all formats, and are not to be listed twice.
  player.configure({ streaming: { bufferingGoal: 30 }, manifest: { disableText: true } });
  const report = reportPlayback(player, video);
  /** An expired URL is refused, and nothing is counted of refused requests. */
  const failWith = (error: unknown): PlaybackFailure => {
    const failure = failureOf(error);
    if (failure === 'failed') report.fails(Number((error as Partial<shaka.util.Error>).code ?? 0));
    return failure;
  };
  player.addEventListener('error', (event) => onFailure(failWith((event as CustomEvent).detail)));

  /** Until a source is loaded, the player still has the tracks of the one before. */
  let isLoaded = false;
  let loads = 0;
  const listeners: (() => void)[] = [];
  const tellListeners = () => {
    for (const listener of listeners) listener();
  };
  /** Storyboard and captions. Shaka removes them from the element until a source is loaded. */
  const trackElements = new Set<HTMLTrackElement>();

  return {
    /** @throws PlaybackError */
    async load({ url, media_type: mediaType }: Source, startSeconds: number): Promise<void> {
      // The page may have removed some since the last source was loaded.
      if (isLoaded) trackElements.clear();
      isLoaded = false;
      const load = ++loads;
      tellListeners();
      for (const element of video.querySelectorAll('track')) trackElements.add(element);
      report.loads(url);
      try {
        await player.load(url, startSeconds, mediaType);
        if (load !== loads) return;
        isLoaded = true;
        video.append(...trackElements);
        tellListeners();
      } catch (error) {
        // Another source was chosen while this one was loading.
        if ((error as shaka.util.Error).code === shaka.util.Error.Code.LOAD_INTERRUPTED) return;
        throw new PlaybackError(failWith(error));
      }
    },
    /** Whether the video element is at a place of the source: not while a source loads, or after that failed. */
    hasPosition: (): boolean => isLoaded && video.readyState >= video.HAVE_METADATA,
    videoTracks: (): VideoTrack[] => (isLoaded ? player.getVideoTracks() : []),
    audioTracks: (): AudioTrack[] => (isLoaded ? player.getAudioTracks() : []),
    /** Plays one quality only, or lets the bandwidth decide. */
    chooseVideo(track: VideoTrack | undefined): void {
      player.configure({ abr: { enabled: track === undefined } });
      if (track) player.selectVideoTrack(track, true);
    },
    chooseAudio: (track: AudioTrack): void => player.selectAudioTrack(track),
    /** Calls back when tracks were added or removed, or another one is played. */
    onTracks(listener: () => void): void {
      listeners.push(listener);
      for (const name of ['trackschanged', 'adaptation', 'variantchanged', 'audiotrackschanged'])
        player.addEventListener(name, listener);
    },
    destroy(): Promise<unknown> {
      report.end();
      return player.destroy();
    },
  };
}

export class PlaybackError extends Error {
  readonly failure: PlaybackFailure;

  constructor(failure: PlaybackFailure) {
    super(failure);
    this.failure = failure;
  }
}

/** The data of BAD_HTTP_STATUS are the address and the status. */
function failureOf(error: unknown): PlaybackFailure {
  const { code, data } = error as Partial<shaka.util.Error>;
  const isRefused = code === shaka.util.Error.Code.BAD_HTTP_STATUS && [403, 410].includes(Number(data?.[1]));
  return isRefused ? 'expired' : 'failed';
}
