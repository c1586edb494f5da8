import type * as z from 'zod';
import { contentPolicy } from '../../shared/security-headers.ts';
import type { videoRoutes } from '../contracts/routes/video-routes.ts';
import { escapeHtml, jsonForScript } from '../http/html.ts';
import { embedMessages, type Language } from './embed-messages.ts';

export type PlayerPage = {
  title: string;
  language: Language;
  sources: z.input<typeof videoRoutes.sources.response>;
  /** address of the page's oEmbed response */
  oembedUrl: string;
};

/**
 * Fills the built page. The sources are in an element that the browser does not execute, so the page needs no
 * credential and no request to the API: it works in a frame without cookies.
 */
export function playerPage(template: string, { title, language, sources, oembedUrl }: PlayerPage): string {
  const link = `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(oembedUrl)}" title="${escapeHtml(title)}">`;
  const video = `<script type="application/json" id="video">${jsonForScript({ title, sources })}</script>`;
  const parts: Record<string, string> = {
    '<html lang="en">': `<html lang="${language}">`,
    '<title>Video</title>': `<title>${escapeHtml(title)}</title>`,
    '<!-- video -->': `${link}\n    ${video}`,
    'This player needs JavaScript.': escapeHtml(embedMessages[language].noScript),
  };
  const marks = Object.keys(parts);
  const missing = marks.filter((mark) => !template.includes(mark));
  if (missing.length > 0) throw new Error(`the player page has no ${missing.join(', ')}`);
  // All at once: a name of a video may look like a mark.
  return template.replace(new RegExp(marks.map(RegExp.escape).join('|'), 'g'), (mark) => parts[mark]!);
}

type PolicyInput = { allowedDomains: readonly string[]; mediaOrigin: string };

/**
 * Scripts come from our own files only. `'unsafe-inline'` of styles is for the controls, custom elements whose style
 * sheets are in their markup (muxinc/media-chrome#898). The engine hands media to the browser as blob URLs.
 */
export const playerPagePolicy = ({ allowedDomains, mediaOrigin }: PolicyInput): string =>
  contentPolicy({
    'script-src': ["'self'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', mediaOrigin],
    'media-src': ["'self'", 'blob:', mediaOrigin],
    'connect-src': ["'self'", mediaOrigin],
    'frame-ancestors': allowedDomains.length === 0 ? ['*'] : allowedDomains,
  });
