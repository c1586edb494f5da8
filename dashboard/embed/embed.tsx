import { render } from 'preact';
import type { Sources } from '../player/playback-options.ts';
import { Player } from '../player/player.tsx';
import './embed.css';

/** The server writes it into the page. */
type EmbeddedVideo = { title: string; sources: Sources };

const { title, sources } = JSON.parse(document.getElementById('video')!.textContent!) as EmbeddedVideo;

render(
  <>
    <h1 class="embed-title">{title}</h1>
    <Player sources={sources} title={title} />
  </>,
  document.getElementById('player')!,
);
