import { NotFound, NotImplemented, Unauthenticated } from '../common/errors.ts';
import { embedRoutes } from '../contracts/routes/embed-routes.ts';
import { createUrlSigner } from '../delivery/url-signer.ts';
import { readViewerOrigins } from '../delivery/viewer-origin.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { serializeSources } from '../serializers/serialize-sources.ts';
import { findCaptions } from '../table/videos/caption-table.ts';
import { type EmbedRefusal, findEmbedded } from './embed-access.ts';
import { preferredLanguage } from './embed-messages.ts';
import { embedUrl, parseEmbedUrl, publicOrigin } from './embed-url.ts';
import { frameHtml, frameSize } from './oembed.ts';
import { playerPage, playerPagePolicy } from './player-page.ts';
import { problemPage } from './problem-page.ts';

const providerName = 'Open Video Service';
/** Sites may keep an embed code for a minute: after that, a deleted video should be gone. */
const oembedSeconds = 60;

/** @param readTemplate the built page that becomes the player page */
export const createEmbedHandler = (readTemplate: () => Promise<string>) =>
  createApiHandler([pageRoute(readTemplate), oembed]);

const pageRoute = (readTemplate: () => Promise<string>) =>
  route(embedRoutes.page, async ({ params, event, headers }) => {
    const acceptLanguage = event.headers['accept-language'];
    const token = new URLSearchParams(event.rawQueryString).get('token') ?? undefined;
    const embedded = await findEmbedded(params.ulid, token);
    if (typeof embedded === 'string') throw problemPage(embedded, acceptLanguage);
    const { whole, allowedDomains, lifetimeSeconds } = embedded;
    const { ulid, name: title } = whole.video;
    const mediaOrigin = (await readViewerOrigins())(ulid);
    if (mediaOrigin === undefined) throw problemPage('unavailable', acceptLanguage);
    const [signer, { captions }] = await Promise.all([
      createUrlSigner(whole.video, mediaOrigin, lifetimeSeconds ?? 0),
      findCaptions(ulid),
    ]);
    Object.assign(headers, {
      'content-security-policy': playerPagePolicy({ allowedDomains, mediaOrigin }),
      // The address contains the token.
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Language, Origin',
    });
    return playerPage(await readTemplate(), {
      title,
      language: preferredLanguage(acceptLanguage),
      sources: serializeSources(whole, captions, signer),
      oembedUrl: `${publicOrigin()}/oembed?${new URLSearchParams({ url: embedUrl(ulid, token) })}`,
    });
  });

const oembed = route(embedRoutes.oembed, async ({ query }) => {
  if (query.format !== undefined && query.format !== 'json') throw new NotImplemented('The format must be json.');
  const { ulid, token } = parseEmbedUrl(query.url) ?? {};
  const embedded = ulid === undefined ? 'absent' : await findEmbedded(ulid, token);
  if (typeof embedded === 'string') throw refusal(embedded);
  const { video } = embedded.whole;
  const size = frameSize(video.aspectRatio, { maxWidth: query.maxwidth, maxHeight: query.maxheight });
  return {
    type: 'video' as const,
    version: '1.0' as const,
    title: video.name,
    provider_name: providerName,
    provider_url: publicOrigin(),
    cache_age: Math.min(oembedSeconds, embedded.lifetimeSeconds ?? oembedSeconds),
    ...size,
    html: frameHtml({ url: embedUrl(video.ulid, token), title: video.name, ...size }),
  };
});

const refusal = (reason: EmbedRefusal) => (reason === 'absent' ? new NotFound() : new Unauthenticated());
