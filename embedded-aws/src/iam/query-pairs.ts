export type QueryPairs = [name: string, value: string][];

/** The decoded pairs of a query string, in order and with repeats. @throws URIError */
export function queryPairs(search: string): QueryPairs {
  return search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      return [decode(name), decode(value)];
    });
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
