/** Positions in a text, the end exclusive. */
export type Span = { start: number; end: number };

/**
 * Where the value at a path is in a valid JSON text. The innermost object or list that exists is found for a path whose
 * last keys do not, such as a key that is missing.
 */
export function findInJson(json: string, path: readonly string[]): Span {
  let at = 0;

  const skip = (pattern: RegExp): string => {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = at;
    const [found = ''] = sticky.exec(json) ?? [];
    at += found.length;
    return found;
  };
  const skipString = (): string => JSON.parse(skip(/"(?:[^"\\]|\\.)*"/)) as string;

  /** Reads a value. `rest` is the path below it, if it is on the path. */
  const readValue = (rest: readonly string[] | undefined): Span => {
    skip(/\s*/);
    const start = at;
    const opened = json[at];
    if (opened !== '{' && opened !== '[') {
      if (opened === '"') skipString();
      else skip(/[^\s,\]}]+/);
      return { start, end: at };
    }
    at += 1;
    let found: Span | undefined;
    for (let index = 0; at < json.length; index++) {
      skip(/[\s,]*/);
      if (json[at] === '}' || json[at] === ']') break;
      const key = opened === '{' ? skipString() : String(index);
      if (opened === '{') skip(/\s*:/);
      const isOnPath = rest !== undefined && rest[0] === key;
      const span = readValue(isOnPath ? rest.slice(1) : undefined);
      if (isOnPath) found = span;
    }
    at += 1;
    return found ?? { start, end: at };
  };
  return readValue(path);
}

/** The number of the line of a position, from 1. */
export const lineOf = (text: string, position: number): number => text.slice(0, position).split('\n').length;
