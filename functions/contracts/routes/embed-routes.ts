import * as z from 'zod';
import { signedUrlSeconds } from '../../common/limits.ts';
import { allowedDomain, maxAllowedDomains } from '../fields/allowed-domain.ts';
import { queryInteger } from '../fields/fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const pixels = queryInteger(1, 10_000).optional();

export const embedTokenRoutes = {
  create: {
    operationId: 'createEmbedToken',
    method: 'POST',
    path: '/api/videos/{ulid}/embed-tokens',
    tag: 'Embedding',
    summary: 'Make a link to the embed player',
    description:
      'url is a page with a player of this video, for an iframe. It is valid for expires_in seconds, and so are the media URLs on it. With allowed_domains, only pages of these domains can frame it; without, every page can. The token is not stored and cannot be revoked: deleting the video ends it. A public video needs no token: its page is /embed/{ulid}.',
    access: 'user',
    ability: 'playback:read',
    body: z.object({
      expires_in: z.int().min(signedUrlSeconds.min).max(signedUrlSeconds.max).meta({ description: 'Seconds.' }),
      allowed_domains: z.array(allowedDomain).max(maxAllowedDomains).optional(),
    }),
    bodyExample: { expires_in: 86_400, allowed_domains: ['example.com', '*.example.com'] },
    status: 201,
    response: z.object({ token: z.string(), url: z.string().meta({ format: 'uri' }) }),
    errors: ['not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;

export const embedRoutes = {
  /** A page for browsers, not an operation of the API, so it is not published. */
  page: {
    operationId: 'embedPage',
    method: 'GET',
    path: '/embed/{ulid}',
    access: 'public',
    lookupQuery: z.object({ token: z.string().optional() }),
    status: 200,
    response: z.string(),
    responseType: 'text/html',
  },
  oembed: {
    operationId: 'oembed',
    method: 'GET',
    path: '/oembed',
    tag: 'Embedding',
    summary: 'The embed code of a player page, as oEmbed',
    description:
      'For sites that turn a link into a player (oembed.com). url is the address of a player page. The frame has the aspect ratio of the video and fits into maxwidth and maxheight. 404 for another address, a missing video, and a video that is not public when the address has no token; 401 for a wrong or expired token; 501 for a format other than json.',
    access: 'public',
    query: z.object({
      url: z.string().meta({ format: 'uri' }),
      maxwidth: pixels,
      maxheight: pixels,
      format: z.string().optional().meta({ description: 'json, the default.' }),
    }),
    status: 200,
    response: z
      .object({
        type: z.literal('video'),
        version: z.literal('1.0'),
        title: z.string(),
        provider_name: z.string(),
        provider_url: z.string().meta({ format: 'uri' }),
        cache_age: z.int().min(0).meta({ description: 'Seconds.' }),
        width: z.int().min(1),
        height: z.int().min(1),
        html: z.string(),
      })
      .meta({ id: 'OEmbed' }),
    errors: ['unauthenticated', 'not_found', 'format_not_supported'],
  },
} as const satisfies Record<string, RouteDeclaration>;
