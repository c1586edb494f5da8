export type ApiCallDescription = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** with parameters in braces, such as `/api/videos/{ulid}` */
  path: string;
  /** values of the parameters */
  params?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number>>;
  body?: unknown;
};

/** A command for a POSIX shell. The token is read from the environment. */
export function curlCommand({ method, path, params = {}, query, body }: ApiCallDescription, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = query === undefined ? '' : `?${new URLSearchParams(mapValues(query, String))}`;
  return [
    `curl${method === 'GET' ? '' : ` --request ${method}`}`,
    `--header "Authorization: Bearer $TOKEN"`,
    ...(body === undefined
      ? []
      : ["--header 'Content-Type: application/json'", `--data ${shellQuoted(JSON.stringify(body))}`]),
    shellQuoted(`${origin}${filled}${search}`),
  ].join(' \\\n  ');
}

export function clientCode({ method, path, params, query, body }: ApiCallDescription, origin: string): string {
  const sent = {
    ...((params ?? query) && { params: { ...(params && { path: params }), ...(query && { query }) } }),
    ...(body !== undefined && { body }),
  };
  const options = Object.keys(sent).length === 0 ? '' : `, ${JSON.stringify(sent, undefined, 2)}`;
  return [
    "import { createClient } from 'open-video-service';",
    '',
    `const { api } = createClient({ url: ${JSON.stringify(origin)}, token: process.env.TOKEN });`,
    `await api.${method}(${JSON.stringify(path)}${options});`,
  ].join('\n');
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const mapValues = <Value, Mapped>(record: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
