// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html

export type EventValue = { value: string; multiValue?: { value: string }[] };
export type EventValues = Record<string, EventValue>;

export type EventRequest = {
  method: string;
  /** The path as the viewer sent it. */
  uri: string;
  querystring: EventValues;
  headers: EventValues;
  cookies: EventValues;
};

export type EventContext = {
  distributionDomainName: string;
  distributionId: string;
  eventType: 'viewer-request' | 'viewer-response';
  requestId: string;
};

export type ViewerRequest = {
  method: string;
  path: string;
  /** Without the question mark. */
  query: string;
  /** As received, names and values alternating. */
  rawHeaders: readonly string[];
  address: string;
};

/** The event of a viewer request. `multiValue` exists for repeated headers, parameters and cookies only. */
export function requestEvent(viewer: ViewerRequest, context: EventContext) {
  const { method, path, query, rawHeaders, address } = viewer;
  const headers: EventValues = {};
  const cookies: EventValues = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (name === 'cookie') readCookies(rawHeaders[index + 1]!, cookies);
    else add(headers, name, rawHeaders[index + 1]!);
  }
  const querystring: EventValues = {};
  for (const pair of query === '' ? [] : query.split('&')) {
    const equals = pair.indexOf('=');
    add(querystring, equals < 0 ? pair : pair.slice(0, equals), equals < 0 ? '' : pair.slice(equals + 1));
  }
  const request: EventRequest = { method, uri: path, querystring, headers, cookies };
  // Not enumerable, so that a function which copies the request does not copy the method.
  Object.defineProperty(request, 'rawQueryString', { value: () => query });
  return { version: '1.0', context, viewer: { ip: address }, request };
}

export type RequestEvent = ReturnType<typeof requestEvent>;

function readCookies(header: string, cookies: EventValues): void {
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0) add(cookies, part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
}

function add(values: EventValues, name: string, value: string): void {
  // An assignment to this name would change the prototype.
  if (name === '__proto__') return;
  const known = Object.hasOwn(values, name) ? values[name] : undefined;
  if (!known) {
    values[name] = { value };
    return;
  }
  known.multiValue ??= [{ value: known.value }];
  known.multiValue.push({ value });
}

/** The headers of a response in the form of an event. */
export function responseHeaders(headers: Record<string, string | string[]>): EventValues {
  const values: EventValues = {};
  for (const [name, given] of Object.entries(headers)) {
    if (name === 'set-cookie') continue;
    for (const value of [given].flat()) add(values, name.toLowerCase(), value);
  }
  return values;
}
