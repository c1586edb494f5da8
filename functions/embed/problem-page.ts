import { createHash } from 'node:crypto';
import { contentPolicy } from '../../shared/security-headers.ts';
import { ErrorPage } from '../common/errors.ts';
import { escapeHtml } from '../http/html.ts';
import { type EmbedProblem, embedMessages, preferredLanguage } from './embed-messages.ts';

const codes = {
  absent: 'not_found',
  invalid: 'embed_token_invalid',
  expired: 'embed_token_expired',
  unavailable: 'no_proxy',
} as const;

const style = `
:root { color-scheme: light dark; }
body { background: light-dark(#f4f5f7, #16181d); color: light-dark(#1b1e24, #e8eaee); display: grid; font: 1rem/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; place-items: center; }
main { box-sizing: border-box; max-width: 32rem; padding: 1.5rem; text-align: center; }
h1 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .5rem; }
p { margin: 0; }
`;

/** Any page may frame it: it says nothing about the video. Without this, a viewer would see an empty frame. */
const policy = contentPolicy({
  'style-src': [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
  'img-src': ['data:'],
  'frame-ancestors': ['*'],
});

/** A page without scripts that says why there is no player. */
export function problemPage(problem: EmbedProblem, acceptLanguage: string | undefined): ErrorPage {
  const language = preferredLanguage(acceptLanguage);
  const { title, text } = embedMessages[language][problem];
  const html = `<!doctype html>
<html lang="${language}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${style}</style>
<main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></main>
</html>`;
  return new ErrorPage(codes[problem], title, html, {
    'content-security-policy': policy,
    'content-language': language,
    'referrer-policy': 'no-referrer',
    vary: 'Accept-Language, Origin',
    ...(problem === 'unavailable' && { 'retry-after': '60' }),
  });
}
