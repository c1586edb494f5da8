import { readEnvironment } from '../../shared/environment.ts';

/** Where viewers reach the pages of the service. */
export const publicOrigin = (): string => readEnvironment('EDGE_URL') ?? readEnvironment('API_URL');

/** The address of a player page. */
export function embedUrl(videoUlid: string, token?: string): string {
  const page = `${publicOrigin()}/embed/${videoUlid}`;
  return token === undefined ? page : `${page}?token=${encodeURIComponent(token)}`;
}

/** Video and token of a player page's address; undefined for any other address. */
export function parseEmbedUrl(text: string): { ulid: string; token: string | undefined } | undefined {
  const url = URL.parse(text);
  const [, ulid] = /^\/embed\/([0-9A-Za-z]{26})\/?$/.exec(url?.pathname ?? '') ?? [];
  if (!url || ulid === undefined || !ownOrigins().includes(url.origin)) return undefined;
  return { ulid, token: url.searchParams.get('token') ?? undefined };
}

/** The addresses may contain a default port, or capital letters. */
const ownOrigins = (): (string | undefined)[] =>
  [readEnvironment('EDGE_URL'), readEnvironment('API_URL')].map((url) => URL.parse(url ?? '')?.origin);
