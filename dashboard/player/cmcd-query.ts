/** Keys of CMCD that the player sends, in the order in which a value has them. */
export type CmcdKey =
  | 'bl'
  | 'br'
  | 'bs'
  | 'bsd'
  | 'cid'
  | 'd'
  | 'ec'
  | 'msd'
  | 'ot'
  | 'pr'
  | 'sf'
  | 'sid'
  | 'sn'
  | 'st'
  | 'sta'
  | 'su'
  | 'v';

const argument = 'CMCD';
/**
 * A URL whose CMCD value also has for how long playback waited, which Shaka Player does not send, and lacks some keys.
 * No value of the player contains a comma. A URL without CMCD stays as it is.
 */
export function withMore(uri: string, waitedMs: number | undefined, dropped: readonly CmcdKey[]): string {
  if ((waitedMs === undefined && dropped.length === 0) || !uri.includes(`${argument}=`)) return uri;
  const url = new URL(uri);
  const said = url.searchParams.get(argument) ?? '';
  const kept = said.split(',').filter((pair) => !dropped.includes(pair.split('=')[0] as CmcdKey));
  const waited = waitedMs === undefined ? [] : ['bs', `bsd=(${waitedMs})`];
  url.searchParams.set(argument, [...kept, ...waited].toSorted().join(','));
  return url.href;
}

export type Report = {
  sessionId: string;
  contentId: string;
  waitedMs: readonly number[];
  /** of the player's error with which the playback ended */
  code?: number;
};

/** A URL that says what no request for a file will say any more. */
export function reportUrl(uri: string, { sessionId, contentId, waitedMs, code }: Report): string {
  const url = new URL(uri);
  const values = [
    ...(waitedMs.length > 0 ? ['bs', `bsd=(${waitedMs.join(' ')})`] : []),
    `cid="${contentId}"`,
    ...(code === undefined ? [] : [`ec=("${code}")`]),
    `sid="${sessionId}"`,
    ...(code === undefined ? [] : ['sta=f']),
    'v=2',
  ];
  return `${url.origin}${url.pathname}?${argument}=${encodeURIComponent(values.join(','))}`;
}
