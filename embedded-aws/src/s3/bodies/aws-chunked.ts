import { createHash } from 'node:crypto';
import { equalSignatures, scopePath, sha256Hex, sign } from '../../iam/signature-v4.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import type { Authentication } from '../requests/authenticate.ts';

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and sigv4-streaming-trailers.html

const maxLineBytes = 8 * 1024;
const emptyHash = sha256Hex('');
const newline = Buffer.from('\r\n');

export type ChunkedOptions = {
  /** Required when each chunk is signed. */
  seed?: NonNullable<Authentication['seed']>;
  /** Whether trailing headers follow the last chunk. */
  trailers: boolean;
  /** Called for each trailing header, with the name in lower case. */
  onTrailer: (name: string, value: string) => void;
};

function malformed(): S3Error {
  return new S3Error('IncompleteBody', 'The aws-chunked body is not well-formed');
}

/** Reads a stream by line or by length. Only a line is ever buffered as a whole. */
function byteReader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    const { done, value } = await iterator.next();
    if (done) return false;
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    return true;
  }

  return {
    /** The next line without its CRLF. Undefined at the end of the body. */
    async line(): Promise<string | undefined> {
      let end = rest.indexOf(newline);
      while (end < 0) {
        if (rest.length > maxLineBytes) throw malformed();
        if (!(await more())) return rest.length === 0 ? undefined : Promise.reject(malformed());
        end = rest.indexOf(newline);
      }
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + newline.length);
      return line;
    },
    /** The next `size` bytes, in the pieces in which they arrive. */
    async *bytes(size: number): AsyncGenerator<Buffer> {
      for (let left = size; left > 0; ) {
        if (rest.length === 0 && !(await more())) throw new S3Error('IncompleteBody');
        const piece = rest.subarray(0, left);
        rest = rest.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },
  };
}

/** Verifies the signatures of the chunks. Each signature covers the one before it. */
function signatureChain(seed: NonNullable<Authentication['seed']>) {
  let previous = seed.signature;
  function require(kind: string, signature: string, hashes: string[]): void {
    const stringToSign = [kind, seed.amzDate, scopePath(seed.scope), previous, ...hashes].join('\n');
    if (!equalSignatures(sign(seed.key, stringToSign), signature)) throw new S3Error('SignatureDoesNotMatch');
    previous = signature;
  }
  return {
    chunk: (signature: string, hash: string) => require('AWS4-HMAC-SHA256-PAYLOAD', signature, [emptyHash, hash]),
    trailer: (signature: string, text: string) => require('AWS4-HMAC-SHA256-TRAILER', signature, [sha256Hex(text)]),
  };
}

/**
 * Decodes an aws-chunked body. The bytes of a chunk are passed on before its signature, which follows them, is
 * verified: the result may only be kept after the iterator has ended.
 * @throws SignatureDoesNotMatch, IncompleteBody
 */
export async function* decodeChunked(source: AsyncIterable<Buffer>, options: ChunkedOptions): AsyncGenerator<Buffer> {
  const reader = byteReader(source);
  const chain = options.seed && signatureChain(options.seed);

  for (let size = -1; size !== 0; ) {
    const header = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec((await reader.line()) ?? '');
    if (!header) throw malformed();
    size = Number.parseInt(header[1]!, 16);
    const hash = chain && createHash('sha256');
    for await (const piece of reader.bytes(size)) {
      hash?.update(piece);
      yield piece;
    }
    if (size > 0 && (await reader.line()) !== '') throw malformed();
    if (hash) chain.chunk(header[2] ?? '', hash.digest('hex'));
  }

  let signedText = '';
  let trailerSignature = '';
  for (let line = await reader.line(); line !== undefined && line !== ''; line = await reader.line()) {
    const colon = line.indexOf(':');
    if (colon < 1 || !options.trailers) throw malformed();
    const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    if (name === 'x-amz-trailer-signature') {
      trailerSignature = value;
    } else {
      signedText += `${name}:${value}\n`;
      options.onTrailer(name, value);
    }
  }
  if (chain && options.trailers) chain.trailer(trailerSignature, signedText);
}
