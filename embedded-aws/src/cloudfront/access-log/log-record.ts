import type { RequestRecord } from '../distribution-server.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html

type Logged = { record: RequestRecord; distribution: { id: string; domainName: string } };

const edgeLocation = 'LOCAL1-P1';
const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
const header = ({ request }: RequestRecord, name: string): string => String(request.headers[name] ?? '-');
const encoded = (text: string): string => encodeURI(text).replaceAll('%25', '%');
const target = ({ request }: RequestRecord): string[] => (request.url ?? '').split('?');
const responseHeader = ({ headers }: RequestRecord, name: string): string => String(headers[name] ?? '-');
const rangePart = (record: RequestRecord, index: number): string =>
  /^bytes (\d+)-(\d+)/.exec(responseHeader(record, 'content-range'))?.[index] ?? '-';

const fields: Record<string, (logged: Logged) => string> = {
  DistributionId: ({ distribution }) => distribution.id,
  date: ({ record }) => new Date(record.endedAtMs).toISOString().slice(0, 10),
  time: ({ record }) => new Date(record.endedAtMs).toISOString().slice(11, 19),
  timestamp: ({ record }) => String(Math.floor(record.endedAtMs / 1000)),
  'timestamp(ms)': ({ record }) => String(record.endedAtMs),
  'x-edge-location': () => edgeLocation,
  'sc-bytes': ({ record }) => String(record.sentBytes),
  'c-ip': ({ record }) => record.address,
  'c-port': ({ record }) => String(record.port),
  'cs-method': ({ record }) => record.request.method ?? '-',
  'cs(Host)': ({ distribution }) => distribution.domainName,
  'x-host-header': ({ record }) => header(record, 'host'),
  'cs-uri-stem': ({ record }) => target(record)[0] ?? '-',
  'cs-uri-query': ({ record }) => target(record).slice(1).join('?') || '-',
  'cs(Referer)': ({ record }) => encoded(header(record, 'referer')),
  'cs(User-Agent)': ({ record }) => encoded(header(record, 'user-agent')),
  'cs(Cookie)': () => '-',
  'cs-protocol': () => 'http',
  'cs-protocol-version': ({ record }) => `HTTP/${record.request.httpVersion}`,
  'cs-bytes': ({ record }) => String(record.request.socket.bytesRead),
  'sc-status': ({ record }) => String(record.status).padStart(3, '0'),
  'sc-content-type': ({ record }) => responseHeader(record, 'content-type'),
  'sc-content-len': ({ record }) => responseHeader(record, 'content-length'),
  'sc-range-start': ({ record }) => rangePart(record, 1),
  'sc-range-end': ({ record }) => rangePart(record, 2),
  'time-taken': ({ record }) => seconds(record.endedAtMs - record.startedAtMs),
  'time-to-first-byte': ({ record }) => seconds(record.endedAtMs - record.startedAtMs),
  'x-edge-request-id': ({ record }) => record.requestId,
  'x-edge-result-type': ({ record }) => record.outcome,
  'x-edge-response-result-type': ({ record }) => record.outcome,
  'x-edge-detailed-result-type': ({ record }) => record.outcome,
  'x-forwarded-for': ({ record }) => header(record, 'x-forwarded-for'),
  'ssl-protocol': () => '-',
  'ssl-cipher': () => '-',
  'fle-status': () => '-',
  'fle-encrypted-fields': () => '-',
};

/** Compiles a list of fields to a function that writes one line of a log. All values are text, as in CloudWatch. */
export function lineWriter(names: readonly string[] = Object.keys(fields)): (logged: Logged) => string {
  const known = names.map((name) => {
    const value = fields[name];
    if (!value) throw new Error(`The embedded CloudFront does not know the log field ${name}.`);
    return [name, value] as const;
  });
  return (logged) => `${JSON.stringify(Object.fromEntries(known.map(([name, value]) => [name, value(logged)])))}\n`;
}
