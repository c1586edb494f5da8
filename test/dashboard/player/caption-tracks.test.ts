import { expect, test } from 'vitest';
import { Captions, CaptionsButton, captionTracks } from '../../../dashboard/player/caption-tracks.tsx';

const track = <Kind extends string>(kind: Kind, language: string) => ({
  kind,
  language,
  label: language,
  url: `${kind}-${language}.vtt`,
});

test('forced captions are not in the player, and chapters are loaded at once', () => {
  const captions = [track('subtitles', 'de'), track('forced', 'en'), track('chapters', 'en')];
  const { children } = Captions({ captions }).props as { children: { props: Record<string, unknown> }[] };
  expect(children.map(({ props }) => [props.kind, props.srcLang, props.default])).toEqual([
    ['subtitles', 'de', false],
    ['chapters', 'en', true],
  ]);
});

test('new URLs keep the tracks, of which a viewer has switched one on', () => {
  const captions = [track('captions', 'de'), track('subtitles', 'de')];
  const keysOf = (renewed: typeof captions) =>
    (Captions({ captions: renewed }).props as { children: { key: string }[] }).children.map(({ key }) => key);
  const keys = keysOf(captions);
  expect(new Set(keys).size).toBe(2);
  expect(keysOf(captions.map((caption) => ({ ...caption, url: `new-${caption.url}` })))).toEqual(keys);
});

test('the button of captions has the role that its state belongs to', () => {
  const attributes = new Map([['role', 'button']]);
  const button = { setAttribute: (name: string, value: string) => void attributes.set(name, value) };
  (CaptionsButton().ref as (element: unknown) => void)(button);
  expect(attributes.get('role')).toBe('switch');
});

test('a viewer chooses among captions and subtitles only', () => {
  const textTracks = ['metadata', 'captions', 'chapters', 'subtitles'].map((kind) => ({ kind }));
  const video = { textTracks } as unknown as HTMLVideoElement;
  expect(captionTracks(video).map(({ kind }) => kind)).toEqual(['captions', 'subtitles']);
});
