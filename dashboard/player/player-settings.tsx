import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { isSegmented } from '../../shared/media/output-formats.ts';
import { captionTracks } from './caption-tracks.tsx';
import type { Engine } from './engine.ts';
import type { PlaybackOption, Sources } from './playback-options.ts';
import type { PlayerTexts } from './player-texts.ts';
import { audioNames, qualitiesOf, qualityLabel } from './tracks.ts';

type Props = {
  video: HTMLVideoElement;
  engine: Engine;
  captions: Sources['captions'];
  options: PlaybackOption[];
  option: PlaybackOption;
  onOption: (option: PlaybackOption) => void;
  texts: PlayerTexts;
};

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** A panel with native menus for format, quality, speed, captions and audio. */
export function PlayerSettings({ video, engine, captions, options, option, onOption, texts }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [quality, setQuality] = useState('');
  const refresh = useTrackChanges(video, engine);
  const pageLanguage = document.documentElement.lang || 'en';
  const isAdaptive = isSegmented(option.source.format);
  const qualities = isAdaptive ? qualitiesOf(engine.videoTracks()) : [];
  const playing = engine.videoTracks().find(({ active }) => active);
  const audios = isAdaptive ? engine.audioTracks() : [];
  const textTracks = captionTracks(video);

  useLayoutEffect(() => setQuality(''), [option.source.url]);

  const close = () => {
    setOpen(false);
    document.getElementById(`${id}-button`)?.focus();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a control bar cannot be a flex item in every browser
    <div
      role="group"
      aria-label={texts.settings}
      class="player-settings"
      // The controls have shortcuts for arrows, space and letters, which the menus use themselves.
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape' && isOpen) close();
      }}
      onKeyUp={(event) => event.stopPropagation()}
      onClick={(event) => event.stopPropagation()}
    >
      <button
        id={`${id}-button`}
        type="button"
        class="player-settings-button"
        aria-label={texts.settings}
        aria-expanded={isOpen}
        aria-controls={`${id}-panel`}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path
            fill="currentColor"
            d="M3 6h10.2a3 3 0 0 1 5.6 0H21v2h-2.2a3 3 0 0 1-5.6 0H3V6Zm0 10h2.2a3 3 0 0 1 5.6 0H21v2H10.8a3 3 0 0 1-5.6 0H3v-2Z"
          />
        </svg>
      </button>
      <div id={`${id}-panel`} class="player-settings-panel" hidden={!isOpen}>
        {options.length > 1 && (
          <Choice
            label={texts.format}
            value={option.source.name}
            entries={options.map(({ label, source }) => [source.name, label])}
            onChoose={(name) => onOption(options.find(({ source }) => source.name === name)!)}
          />
        )}
        {qualities.length > 1 && (
          <Choice
            label={texts.quality}
            value={quality}
            entries={[
              ['', playing && quality === '' ? texts.automaticAt(qualityLabel(playing)) : texts.automatic],
              ...qualities.map(({ label }) => [label, label] as const),
            ]}
            onChoose={(label) => {
              setQuality(label);
              engine.chooseVideo(qualities.find((one) => one.label === label)?.track);
            }}
          />
        )}
        <Choice
          label={texts.speed}
          value={String(video.playbackRate)}
          entries={speeds.map((speed) => [
            String(speed),
            speed === 1 ? texts.normal : `${speed.toLocaleString(pageLanguage)}×`,
          ])}
          onChoose={(speed) => {
            video.playbackRate = Number(speed);
          }}
        />
        {captions.length > 0 && textTracks.length > 0 && (
          <Choice
            label={texts.captions}
            value={String(textTracks.findIndex(({ mode }) => mode === 'showing'))}
            entries={[['-1', texts.off], ...textTracks.map(({ label }, index) => [String(index), label] as const)]}
            onChoose={(chosen) => {
              for (const [index, track] of textTracks.entries())
                track.mode = String(index) === chosen ? 'showing' : 'disabled';
              refresh();
            }}
          />
        )}
        {audios.length > 1 && (
          <Choice
            label={texts.audio}
            value={String(audios.findIndex(({ active }) => active))}
            entries={audioNames(audios, pageLanguage, texts.unknownLanguage).map((name, index) => [
              String(index),
              name,
            ])}
            onChoose={(index) => engine.chooseAudio(audios[Number(index)]!)}
          />
        )}
      </div>
    </div>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  entries: readonly (readonly [value: string, label: string])[];
  onChoose: (value: string) => void;
};

const Choice = ({ label, value, entries, onChoose }: ChoiceProps) => (
  <label>
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {entries.map(([entry, text]) => (
        <option key={entry} value={entry}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

/** Renders again when tracks, speed or captions change. Returns a function that does so. */
function useTrackChanges(video: HTMLVideoElement, engine: Engine): () => void {
  const [, count] = useState(0);
  const refresh = () => count((value) => value + 1);
  // Before the source is loaded, which the parent does in its own layout effect.
  useLayoutEffect(() => {
    engine.onTracks(refresh);
    const stop = new AbortController();
    for (const name of ['ratechange', 'loadeddata']) video.addEventListener(name, refresh, { signal: stop.signal });
    for (const name of ['change', 'addtrack'])
      video.textTracks.addEventListener(name, refresh, { signal: stop.signal });
    return () => stop.abort();
  }, [video, engine]);
  return refresh;
}
