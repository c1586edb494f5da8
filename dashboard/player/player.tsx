import type { ComponentType, Ref } from 'preact';
import { useImperativeHandle, useRef, useState } from 'preact/hooks';
import type { PlaybackProps, PlayerControl } from './playback.tsx';
import type { Sources } from './playback-options.ts';
import { playerTexts } from './player-texts.ts';
import './player.css';

export type PlayerProps = {
  sources: Sources;
  /** name of the video, for labels */
  title: string;
  poster?: string | null;
  /** The service refuses the URLs: get new ones. Without it, the viewer is asked to reload the page. */
  onExpired?: () => void;
  /** By which a page seeks. */
  control?: Ref<PlayerControl>;
  /** Called with the video element when playback starts, and with nothing when it ends. */
  onVideo?: PlaybackProps['onVideo'];
};

const load = () => import('./playback.tsx');

/**
 * A video player. Until a viewer presses play, it is a poster with a button: controls and engine are 260 KB, and a page
 * may have several players.
 */
export function Player({ sources, title, poster = sources.poster_url, onExpired, control, onVideo }: PlayerProps) {
  const [Playback, setPlayback] = useState<ComponentType<PlaybackProps>>();
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle');
  const texts = playerTexts(document.documentElement.lang);
  const playback = useRef<PlayerControl>(null);
  const firstSeconds = useRef(0);

  const start = async () => {
    if (state === 'loading') return;
    setState('loading');
    try {
      const loaded = await load();
      setPlayback(() => loaded.Playback);
    } catch {
      setState('failed');
    }
  };

  useImperativeHandle(
    control ?? null,
    () => ({
      seek(seconds) {
        if (playback.current) return playback.current.seek(seconds);
        firstSeconds.current = seconds;
        void start();
      },
    }),
    [Playback === undefined, state],
  );

  if (sources.sources.length === 0) {
    return (
      <div class="player">
        <p class="player-notice" role="status">
          {texts.nothing}
        </p>
      </div>
    );
  }
  if (Playback) {
    return (
      <div class="player">
        <Playback
          {...{ sources, title, poster, texts, onExpired, onVideo }}
          control={playback}
          firstSeconds={firstSeconds.current}
        />
      </div>
    );
  }
  return (
    <div class="player">
      <button
        type="button"
        class="player-start"
        aria-label={texts.play(title)}
        aria-busy={state === 'loading'}
        onClick={start}
        onPointerEnter={() => void load().catch(() => undefined)}
      >
        {poster && <img src={poster} alt="" crossOrigin="anonymous" />}
        <span class="player-start-icon" aria-hidden="true" />
      </button>
      {state === 'failed' && (
        <p class="player-start-failed" role="alert">
          {texts.notLoaded}
        </p>
      )}
    </div>
  );
}
