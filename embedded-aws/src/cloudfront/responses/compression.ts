import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedEncodings, type Encoding } from '../../http/accepted-encodings.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/ServingCompressedFiles.html

const minBytes = 1000;
const maxBytes = 10_000_000;
const compressedStatuses = [200, 403, 404];

const types = new Set([
  ...['dash+xml', 'eot', 'font', 'font-sfnt', 'javascript', 'json', 'opentype', 'otf', 'pdf', 'pkcs7-mime'].map(
    inApplication,
  ),
  ...['protobuf', 'rss+xml', 'truetype', 'ttf', 'vnd.apple.mpegurl', 'vnd.mapbox-vector-tile'].map(inApplication),
  ...['vnd.ms-fontobject', 'wasm', 'xhtml+xml', 'xml', 'x-font-opentype', 'x-font-truetype'].map(inApplication),
  ...['x-font-ttf', 'x-httpd-cgi', 'x-javascript', 'x-mpegurl', 'x-opentype', 'x-otf', 'x-perl', 'x-ttf'].map(
    inApplication,
  ),
  'font/eot',
  'font/opentype',
  'font/otf',
  'font/ttf',
  'image/svg+xml',
  'vnd.apple.mpegurl',
  ...['css', 'csv', 'html', 'javascript', 'js', 'plain', 'richtext', 'tab-separated-values', 'xml'].map(inText),
  ...['x-component', 'x-java-source', 'x-script'].map(inText),
]);

function inApplication(name: string): string {
  return `application/${name}`;
}
function inText(name: string): string {
  return `text/${name}`;
}

type Response = { status: number; headers: Readonly<Record<string, string | string[] | undefined>>; sizeBytes: number };

/** The encoding in which CloudFront sends a response. `offered` are those of the cache policy, in order. */
export function encodingFor(
  { status, headers, sizeBytes }: Response,
  offered: readonly Encoding[],
  acceptEncoding: string | undefined,
): Encoding | undefined {
  const [encoding] = acceptedEncodings(offered, acceptEncoding);
  if (encoding === undefined || !compressedStatuses.includes(status)) return undefined;
  if (sizeBytes < minBytes || sizeBytes > maxBytes || headers['content-encoding'] !== undefined) return undefined;
  if (!types.has(String(headers['content-type']).split(';')[0]!.trim().toLowerCase())) return undefined;
  return encoding;
}

/** Less than the best quality, which takes a hundred times as long. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export const compress = (body: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br' ? promisify(brotliCompress)(body, brotliOptions) : promisify(gzip)(body);
