import type { Request } from './dynamodb-requests.ts';

type Outcome = { result?: unknown; error?: string };
type Known = { reference: string; when: (request: string, ours: Outcome, theirs: Outcome) => boolean };

/**
 * Differences in which the reference is wrong, or that AWS does not define: `embedded-aws/docs/conformance.md` has the
 * reasons.
 */
const known: Known[] = [
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

export const isKnown = (reference: string, request: Request, { ours, theirs }: { ours: Outcome; theirs: Outcome }) => {
  const text = JSON.stringify(request);
  return known.some((one) => one.reference === reference && one.when(text, ours, theirs));
};
