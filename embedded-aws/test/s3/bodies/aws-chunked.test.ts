import { request } from 'node:http';
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { createPrincipal, createPrincipalLookup } from '../../../src/testing/create-principal.ts';
import { failureOf, type Running, runS3 } from '../running.ts';

// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
// sigv4-streaming-trailers.html, with the signatures printed there.
const example = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const now = new Date('2013-05-24T00:00:00Z');
const path = '/examplebucket/chunkObject.txt';

type Example = { headers: Record<string, string>; chunks: [size: number, signature: string][]; end: string };

const signed: Example = {
  headers: {
    host: 's3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class,Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    'content-length': '66824',
  },
  chunks: [
    [65536, 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'],
    [1024, '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497'],
    [0, 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9'],
  ],
  end: '\r\n',
};

const trailing: Example = {
  headers: {
    host: 's3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer,Signature=106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    'x-amz-trailer': 'x-amz-checksum-crc32c',
  },
  chunks: [
    [65536, 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2'],
    [1024, '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7'],
    [0, '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992'],
  ],
  end: 'x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
};

const bodyOf = ({ chunks, end }: Example) =>
  chunks
    .map(
      ([size, signature]) =>
        `${size.toString(16)};chunk-signature=${signature}\r\n${'a'.repeat(size)}${size > 0 ? '\r\n' : ''}`,
    )
    .join('') + end;

const runExample = () =>
  runS3({
    now: () => now,
    region: 'us-east-1',
    findPrincipal: createPrincipalLookup(createPrincipal(example)),
    buckets: [{ name: 'examplebucket', cors: [], eventBridge: false }],
  });

/** Writes the body in separate pieces of `pieceBytes`. */
function put(
  running: Running,
  headers: Record<string, string>,
  body: string,
  pieceBytes = body.length,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(running.endpoint, { method: 'PUT', path, headers }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      resolve(`${response.statusCode} ${/<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? ''}`.trim());
    });
    sent.on('error', reject);
    sent.setNoDelay(true);
    for (let at = 0; at < body.length; at += pieceBytes) sent.write(body.slice(at, at + pieceBytes));
    sent.end();
  });
}

function exampleClient(running: Running): S3Client {
  return running.client({ region: 'us-east-1', credentials: example, systemClockOffset: now.getTime() - Date.now() });
}

test.each([
  ['signed chunks', signed],
  ['signed chunks and trailer', trailing],
])('the example of %s in the documentation is accepted', async (_, sample) => {
  const running = await runExample();
  const body = bodyOf(sample);
  const headers = { ...sample.headers, 'content-length': String(body.length) };
  expect(await put(running, headers, body)).toBe('200');
  expect(await put(running, headers, body, 1000)).toBe('200');
  const got = await exampleClient(running).send(
    new GetObjectCommand({ Bucket: 'examplebucket', Key: 'chunkObject.txt' }),
  );
  expect(got).toMatchObject({ ContentLength: 66560, StorageClass: 'REDUCED_REDUNDANCY' });
  expect(got.ContentEncoding).toBeUndefined();
  expect(await got.Body!.transformToString()).toBe('a'.repeat(66560));
});

test('chunks may be split anywhere', async () => {
  const running = await runExample();
  const body = bodyOf(trailing);
  const headers = { ...trailing.headers, 'content-length': String(body.length) };
  for (const pieceBytes of [7, 65_621, 65_622, 65_623])
    expect(await put(running, headers, body, pieceBytes)).toBe('200');
});

const alterations: [string, (body: string) => string, string][] = [
  ['a byte of data', (body) => body.replace('aaa', 'aba'), '403 SignatureDoesNotMatch'],
  ['a chunk signature', (body) => body.replace('1c1344', '2c1344'), '403 SignatureDoesNotMatch'],
  ['the last chunk signature', (body) => body.replace('2ca2aba2', '3ca2aba2'), '403 SignatureDoesNotMatch'],
  ['the trailer', (body) => body.replace('sOO8/Q==', 'sOO8/A=='), '403 SignatureDoesNotMatch'],
  ['the trailer signature', (body) => body.replace('d81f82', 'e81f82'), '403 SignatureDoesNotMatch'],
  [
    'a chunk without signature',
    (body) => body.replace(/;chunk-signature=b474d8[0-9a-f]*/, ''),
    '403 SignatureDoesNotMatch',
  ],
  ['a chunk size', (body) => body.replace('10000;', '10001;'), '400 IncompleteBody'],
  ['no chunks at all', () => 'plain text', '400 IncompleteBody'],
  ['an end without trailer', (body) => body.replace(/x-amz-checksum.*$/s, '\r\n'), '403 SignatureDoesNotMatch'],
  ['an early end', (body) => body.slice(0, 70_000 - 5_000), '400 IncompleteBody'],
];

test.each(alterations)('a modified body is rejected: %s', async (_, alter, answer) => {
  const running = await runExample();
  const body = alter(bodyOf(trailing));
  expect(await put(running, { ...trailing.headers, 'content-length': String(body.length) }, body)).toBe(answer);
  const head = exampleClient(running).send(new HeadObjectCommand({ Bucket: 'examplebucket', Key: 'chunkObject.txt' }));
  expect(await failureOf(head)).toMatchObject({ status: 404 });
});
