import type { Sources } from './playback-options.ts';

type CaptionSource = Sources['captions'][number];

/** The browser shows captions; controls and settings switch them on and off. */
export function Captions({ captions }: { captions: readonly CaptionSource[] }) {
  return (
    <>
      {captions
        .filter(({ kind }) => kind !== 'forced')
        .map(({ kind, language, label, url }) => (
          <track
            // Also of renewed URLs: what the viewer has switched on stays on.
            key={`${kind} ${language}`}
            kind={kind as 'captions' | 'subtitles' | 'chapters'}
            srcLang={language}
            label={label}
            src={url}
            default={kind === 'chapters'}
          />
        ))}
    </>
  );
}

/** The button says by `aria-checked` whether captions are shown, which screen readers know of switches only. */
const asSwitch = (button: HTMLElement | null): void => button?.setAttribute('role', 'switch');

// media-chrome makes it a button when it is inserted, which is before this.
export const CaptionsButton = () => <media-captions-button ref={asSwitch} />;

/** The text tracks that a viewer can choose. */
export const captionTracks = (video: HTMLVideoElement): TextTrack[] =>
  [...video.textTracks].filter(({ kind }) => kind === 'captions' || kind === 'subtitles');
