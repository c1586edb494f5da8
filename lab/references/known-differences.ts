import type { Outcome } from './compare.ts';

type Known = { reference: string; when: (request: string, ours: Outcome, theirs: Outcome) => boolean };

/**
 * Differences in which the reference is wrong, or that AWS does not define: `embedded-aws/docs/conformance.md` has the
 * reasons.
 */
const ofDynamodb: Known[] = [
  {
    reference: 'dynoxide',
    when: (request, ours) =>
      ours.error === 'ValidationException' &&
      request.includes('"TransactWriteItems"') &&
      /"UpdateExpression":"[^"]*\b(ADD|DELETE) |attribute_type\(/.test(request),
  },
  {
    reference: 'dynoxide',
    when: (request, ours) =>
      ours.error === 'ValidationException' &&
      /"UpdateItem".*"UpdateExpression":"[^"]*DELETE [^"]*(#owner|rank)/.test(request),
  },
  // It checks less of a transaction than of a single write: removed keys, and values without an expression.
  {
    reference: 'dynoxide',
    when: (request, { error = '' }) =>
      request.includes('"TransactWriteItems"') &&
      ((/Exception .*ValidationError/.test(error) && /"UpdateExpression":"[^"]*REMOVE [^"]*\b[ps]k\b/.test(request)) ||
        (error === 'ValidationException' && request.includes('"ExpressionAttributeValues":{":unused"'))),
  },
  // Whether two missing attributes differ is to be tried on AWS.
  {
    reference: 'dynoxide',
    when: (request, { error = '' }) => / <> [a-z#]/.test(request) && error.includes('ConditionalCheckFailed'),
  },
  // Whether an invalid expression or key refuses a transaction or cancels it is to be tried on AWS.
  {
    reference: 'dynoxide',
    when: (request, { error: ours = '' }, { error: theirs = '' }) =>
      request.includes('"TransactWriteItems"') &&
      [ours, theirs].includes('ValidationException') &&
      [ours, theirs].some((error) => error.startsWith('TransactionCanceledException')),
  },
  // moto accepts most requests that AWS refuses, and refuses some that AWS accepts.
  { reference: 'moto', when: (_, { error = '' }) => /ValidationE|SerializationE/.test(error) },
  { reference: 'moto', when: (_request, _ours, { error = '' }) => /SyntaxError|ValidationException/.test(error) },
  // moto stores the key of an item whose update it refuses.
  { reference: 'moto', when: (request, ours, theirs) => /:"Scan"/.test(request) && countOf(theirs) > countOf(ours) },
  // moto returns metrics that nothing asked for.
  { reference: 'moto', when: (_request, _ours, theirs) => JSON.stringify(theirs).includes('"ItemCollectionMetrics"') },
  // moto returns numbers as they were sent.
  {
    reference: 'moto',
    when: (_, ours, theirs) => JSON.stringify(inNormalForm(theirs)) === JSON.stringify(inNormalForm(ours)),
  },
];

const countOf = ({ result }: Outcome): number => (result as { Count?: number } | undefined)?.Count ?? 0;

function inNormalForm(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, one) => {
    if (name === 'N') return Number(one);
    return name === 'NS' ? one.map(Number).toSorted() : one;
  });
}

const without = (name: string, { result }: Outcome): string =>
  JSON.stringify({ ...(result as Record<string, unknown> | undefined), [name]: undefined });
const member = (name: string, { result }: Outcome): unknown => (result as Record<string, unknown> | undefined)?.[name];

/** Which of several reasons to refuse a request is found first is not documented. */
const bothRefuse = (ours: Outcome, theirs: Outcome): boolean => ours.error !== undefined && theirs.error !== undefined;

const ofS3: Known[] = [
  {
    reference: 'versitygw',
    when: (request, ours, theirs) =>
      bothRefuse(ours, theirs) &&
      /"IfMatch"|"IfNoneMatch"|"Tagging"|"(CopySource)?Range"|"PartNumber":(0|10001)|CompleteMultipartUpload/.test(
        request,
      ),
  },
  // It completes an upload that does not exist, with the ETag that its parts would have.
  {
    reference: 'versitygw',
    when: (request, { error }) => request.includes('CompleteMultipartUpload') && error === 'NoSuchUpload 404',
  },
  // It returns StartAfter as the continuation token too.
  {
    reference: 'versitygw',
    when: (request, ours, theirs) =>
      request.includes('"StartAfter"') && without('ContinuationToken', ours) === without('ContinuationToken', theirs),
  },
  // It leaves out a common prefix that StartAfter is equal to or begins with: AWS does not document which is right.
  {
    reference: 'versitygw',
    when: (request, ours, theirs) =>
      /"StartAfter":"[^"]*\//.test(request) &&
      request.includes('"Delimiter"') &&
      JSON.stringify(member('Contents', ours)) === JSON.stringify(member('Contents', theirs)),
  },
  // It ignores encoding-type, and counts from 0 in an empty list of parts.
  { reference: 'versitygw', when: (request) => request.includes('"EncodingType"') },
  {
    reference: 'versitygw',
    when: (request, ours, theirs) =>
      request.includes('ListParts') &&
      without('NextPartNumberMarker', ours) === without('NextPartNumberMarker', theirs),
  },
  // It sends an empty object for its last bytes: AWS does not document which is right.
  {
    reference: 'versitygw',
    when: (request, { error = '' }, { result }) =>
      /"Range":"bytes=-\d/.test(request) &&
      error.endsWith(' 416') &&
      (result as { ContentLength?: number } | undefined)?.ContentLength === 0,
  },
  // It copies to the end of the source where the end of a range is missing.
  {
    reference: 'versitygw',
    when: (request, { error }) => /"CopySourceRange":"bytes=\d+-"/.test(request) && error === 'InvalidArgument 400',
  },
  // It answers 304 to a copy whose condition does not hold, and ignores dates in the future.
  {
    reference: 'versitygw',
    when: (request, ours, theirs) =>
      request.includes('"CopySourceIfNoneMatch"') &&
      ours.error === 'PreconditionFailed 412' &&
      theirs.error === 'Unknown 304',
  },
  { reference: 'versitygw', when: (request) => request.includes('"IfModifiedSince":"2030') },
];

const ofStateMachines: Known[] = [
  // It has another error, which no Catch finds, for a condition that is no boolean and an expression without a result.
  {
    reference: 'localstack',
    when: (_request, ours, { error: theirs }) =>
      theirs === 'FAILED States.Runtime' && JSON.stringify(ours).includes('States.QueryEvaluationError'),
  },
];

const isKnownAmong =
  (known: Known[]) =>
  (reference: string, request: unknown, { ours, theirs }: { ours: Outcome; theirs: Outcome }): boolean => {
    const text = JSON.stringify(request);
    return known.some((one) => one.reference === reference && one.when(text, ours, theirs));
  };

export const isKnownDynamodb = isKnownAmong(ofDynamodb);
export const isKnownS3 = isKnownAmong(ofS3);
export const isKnownStateMachine = isKnownAmong(ofStateMachines);
