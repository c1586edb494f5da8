import 'media-chrome';
import 'media-chrome/lang/de';
import { setLanguage } from 'media-chrome/utils/i18n';
import type { Ref } from 'preact';
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Captions, CaptionsButton } from './caption-tracks.tsx';
import { createEngine, type Engine, PlaybackError, type PlaybackFailure } from './engine.ts';
import { type PlaybackOption, playbackOptions, type Sources } from './playback-options.ts';
import { PlayerSettings } from './player-settings.tsx';
import type { PlayerTexts } from './player-texts.ts';
import { createRenewals } from './renewals.ts';

/** What a page does with its player. */
export type PlayerControl = {
  /** Goes to a moment. A player that was not started is started there. */
  seek(seconds: number): void;
};

export type PlaybackProps = {
  sources: Sources;
  title: string;
  poster: string | null;
  texts: PlayerTexts;
  onExpired: (() => void) | undefined;
  control: Ref<PlayerControl>;
  onVideo: ((video: HTMLVideoElement | undefined) => void) | undefined;
  /** Where it starts. */
  firstSeconds: number;
};

setLanguage(document.documentElement.lang || 'en');

/** The started player: video, controls and engine. */
export function Playback(props: PlaybackProps) {
  const { sources, title, poster, texts, onExpired, control, onVideo, firstSeconds } = props;
  const videoRef = useRef<HTMLVideoElement>(null);
  const [engine, setEngine] = useState<Engine>();
  const [failure, setFailure] = useState<PlaybackFailure>();
  const [name, setName] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const options = useMemo(() => playbackOptions(sources.sources), [sources]);
  const option = chosenOption(options, name);
  const [renewals] = useState(() => createRenewals());
  // The engine keeps the first `fail`.
  const url = useRef(option.source.url);
  url.current = option.source.url;
  // It starts at once: the viewer pressed play.
  const moment = useRef<Moment>({ seconds: firstSeconds, rate: 1, plays: true });

  const fail = (reason: PlaybackFailure) => {
    if (reason === 'failed' || !onExpired) return setFailure(reason);
    const next = renewals.afterRefusal(url.current);
    if (next === 'renew') onExpired();
    if (next === 'give up') setFailure(reason);
  };

  useEffect(() => {
    const created = createEngine(videoRef.current!, fail);
    created.then(setEngine, () => setFailure('failed'));
    // The button that had the focus is gone. What starts the player from elsewhere keeps it.
    if (document.activeElement === document.body) videoRef.current!.closest<HTMLElement>('media-controller')?.focus();
    onVideo?.(videoRef.current!);
    return () => {
      onVideo?.(undefined);
      void created.then((one) => one.destroy());
    };
  }, []);

  useImperativeHandle(
    control,
    () => ({
      seek(seconds) {
        if (engine?.hasPosition()) videoRef.current!.currentTime = seconds;
        else moment.current = { ...moment.current, seconds };
      },
    }),
    [engine],
  );

  // Before the page is painted: a viewer could otherwise choose among the tracks of the source before.
  useLayoutEffect(() => {
    if (!engine) return;
    setFailure(undefined);
    engine.chooseVideo(undefined);
    moment.current = momentOf(engine, videoRef.current!) ?? moment.current;
    start(engine, videoRef.current!, option, moment).catch((error) =>
      fail(error instanceof PlaybackError ? error.failure : 'failed'),
    );
  }, [engine, option.source.url, attempt]);

  return (
    <media-controller
      class="player-controls"
      aria-label={title}
      keyboardforwardseekoffset={10}
      keyboardbackwardseekoffset={10}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: caption tracks are added when the video has some */}
      <video
        ref={videoRef}
        slot="media"
        playsInline
        crossOrigin="anonymous"
        poster={poster ?? undefined}
        aria-label={title}
      >
        {sources.storyboard_url && <track kind="metadata" label="thumbnails" src={sources.storyboard_url} default />}
        <Captions captions={sources.captions} />
      </video>
      <media-loading-indicator slot="centered-chrome" noautohide />
      {failure && (
        <div slot="centered-chrome" class="player-failure" role="alert">
          <p>{texts[failure]}</p>
          {failure === 'failed' && (
            <button type="button" onClick={() => setAttempt(attempt + 1)}>
              {texts.retry}
            </button>
          )}
        </div>
      )}
      <media-time-range>
        <media-preview-thumbnail slot="preview" />
        <media-preview-time-display slot="preview" />
      </media-time-range>
      <media-control-bar>
        <media-play-button />
        <media-seek-backward-button class="player-wide" seekoffset={10} />
        <media-seek-forward-button class="player-wide" seekoffset={10} />
        <media-mute-button />
        <media-volume-range class="player-wide" />
        <media-time-display showduration notoggle />
        <span class="player-space" />
        {sources.captions.length > 0 && <CaptionsButton />}
        {engine && (
          <PlayerSettings
            video={videoRef.current!}
            engine={engine}
            captions={sources.captions}
            options={options}
            option={option}
            onOption={({ source }) => setName(source.name)}
            texts={texts}
          />
        )}
        <media-pip-button class="player-wide" />
        <media-fullscreen-button />
      </media-control-bar>
    </media-controller>
  );
}

/** The chosen source; its name stays the same when the URLs are renewed. */
const chosenOption = (options: PlaybackOption[], name: string | undefined): PlaybackOption =>
  options.find(({ source }) => source.name === name) ?? options[0]!;

/** Where and how a source is played. */
type Moment = { seconds: number; rate: number; plays: boolean };

/** Undefined while a source loads, and after that failed: the video element is at its beginning then. */
const momentOf = (engine: Engine, video: HTMLVideoElement): Moment | undefined =>
  engine.hasPosition() ? { seconds: video.currentTime, rate: video.playbackRate, plays: !video.paused } : undefined;

/** Loads a source, and plays it from a moment on. */
async function start(
  engine: Engine,
  video: HTMLVideoElement,
  { source }: PlaybackOption,
  moment: { current: Moment },
): Promise<void> {
  const { seconds, rate, plays } = moment.current;
  await engine.load(source, seconds);
  // The page has gone to another moment while it was loading.
  if (moment.current.seconds !== seconds && engine.hasPosition()) video.currentTime = moment.current.seconds;
  video.playbackRate = rate;
  // A browser may refuse to start with sound; the viewer then uses the play button of the controls.
  if (plays) await video.play().catch(() => undefined);
}
