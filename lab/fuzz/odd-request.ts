import * as fc from 'fast-check';
import {
  type Document,
  listOperations,
  type Operation,
  type Schema,
} from '../../test/fixtures/read-published-document.ts';
import { asText, oddBody, oddText } from './odd-values.ts';
import { recordMark, valueFor } from './schema-value.ts';

export type OddRequest = {
  /** path of the document */
  path: string;
  method: string;
  /** path and query as sent, except for the marks of records */
  target: string;
  body: string | undefined;
  as: 'owner' | 'stranger' | 'admin' | 'session' | 'nobody';
  headers: Record<string, string>;
};

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', '', 'get', 'G\u0000T'];
const headerTexts = ['', ' ', ',', 'null', '*', 'x'.repeat(8_000), '\u0000', 'ü', 'https://evil.example', '__proto__'];
const headerNames = [
  'origin',
  'authorization',
  'sec-fetch-site',
  'host',
  'accept',
  'content-encoding',
  'x-http-method-override',
  'range',
  'if-none-match',
  '__proto__',
];
const contentTypes = [
  'application/json',
  'application/json; charset=utf-16',
  'application/vnd.api+json',
  'text/plain',
  '',
  'multipart/form-data',
];

/** Requests to every operation of the document: close to its schema, and wrong in some part. */
export function oddRequest(document: Document): fc.Arbitrary<OddRequest> {
  const { schemas } = document.components;
  return fc.constantFrom(...listOperations(document)).chain(({ path, method, operation }) =>
    fc.record({
      path: fc.constant(path),
      method: mostly(fc.constant(method), fc.constantFrom(...methods)),
      target: fc
        .tuple(pathOf(path), queryOf(operation, schemas))
        .map(([way, query]) => (query === '' ? way : `${way}?${query}`)),
      body: bodyOf(operation, schemas),
      as: fc.constantFrom<OddRequest['as']>('owner', 'owner', 'admin', 'admin', 'stranger', 'session', 'nobody'),
      headers: mostly(fc.constant({}), oddHeaders),
    }),
  );
}

/** About two of ten times. */
const mostly = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Never empty: the path would belong to another operation. */
const oddPart = fc.oneof(
  oddText.filter((text) => text !== '').map(encoded),
  fc.constantFrom('%', '%zz', '%c0%ae', '..', '.', '%2f', '%00', ';', '\\', '\u0000'),
);

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom('content-type', ...headerNames),
  fc.oneof(fc.constantFrom(...headerTexts, ...contentTypes), oddText),
  { maxKeys: 3 },
);

const pathOf = (path: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...path
        .split('/')
        .map((part) =>
          mostly(
            fc.constant(part.startsWith('{') ? recordMark(`${path} ${part}`) : part),
            part.startsWith('{') ? oddPart : fc.constant(part),
          ),
        ),
    )
    .map((parts) => parts.join('/'))
    .chain((whole) =>
      fc.oneof(
        { weight: 30, arbitrary: fc.constant(whole) },
        fc.constantFrom(`${whole}/`, `/${whole}`, whole.toUpperCase(), `${whole}//x`),
      ),
    );

function queryOf({ parameters = [] }: Operation, schemas: Record<string, Schema>): fc.Arbitrary<string> {
  const asked = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, schema, required }) => {
      const pair = valueFor(schema, schemas, /\[(\w+)\]/.exec(name)?.[1] ?? name).map(
        (value) => `${name}=${encoded(typeof value === 'string' ? value : asText(value))}`,
      );
      return required ? pair : fc.option(pair, { nil: '' });
    });
  const junk = fc.oneof(
    fc.constantFrom(
      '&',
      '=',
      '%',
      'page=%zz',
      'page=1&page=2',
      'page[]=1',
      'page[a][b]=1',
      '__proto__[x]=1',
      'constructor=1',
      'metadata=1',
      'key[x]=1',
      'user_id=1',
      '+',
    ),
    oddText.map(encoded),
  );
  return fc
    .tuple(fc.tuple(...asked), mostly(fc.constant(''), junk))
    .map(([pairs, more]) => [...pairs, more].filter((pair) => pair !== '').join('&'));
}

function bodyOf({ requestBody }: Operation, schemas: Record<string, Schema>): fc.Arbitrary<string | undefined> {
  const { schema, example } = requestBody?.content['application/json'] ?? {};
  if (!schema) return mostly(fc.constant(undefined), oddBody);
  return fc.oneof(
    { weight: 8, arbitrary: valueFor(schema, schemas).map(asText) },
    { weight: 2, arbitrary: fc.constant(asText(example)) },
    { weight: 2, arbitrary: oddBody },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

/** Percent-encoding; a lone surrogate cannot be encoded, and no client can send one. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
