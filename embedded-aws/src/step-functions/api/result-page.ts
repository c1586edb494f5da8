import { type Input, invalid, optionalText } from './operation-input.ts';
import { StepFunctionsError } from './step-functions-errors.ts';

const MAX_RESULTS = 1000;
const DEFAULT_RESULTS = 100;
const MAX_TOKEN_CHARACTERS = 3096;

/** One page of results. A page token is only valid for the query that it was issued for. */
export type Page = { size: number; start: number | undefined; tokenFor(position: number): string };

/** @throws InvalidToken for a token that was not issued for this query */
export function pageOf(input: Input, question: string): Page {
  const { maxResults = 0 } = input;
  if (!Number.isInteger(maxResults) || (maxResults as number) < 0 || (maxResults as number) > MAX_RESULTS) {
    throw invalid('maxResults', `Member must have value between 0 and ${MAX_RESULTS}`);
  }
  const token = optionalText(input, 'nextToken', MAX_TOKEN_CHARACTERS);
  return {
    size: (maxResults as number) || DEFAULT_RESULTS,
    start: token === undefined ? undefined : positionIn(token, question),
    tokenFor: (position) => Buffer.from(JSON.stringify([question, position])).toString('base64url'),
  };
}

function positionIn(token: string, question: string): number {
  try {
    const [asked, position] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    if (asked === question && Number.isInteger(position)) return position as number;
  } catch {
    // Reported below.
  }
  throw new StepFunctionsError('InvalidToken', "Invalid Token: 'The nextToken is not valid for this request'");
}

/** Returns one page of a list in memory. */
export function slicePage<T>(items: T[], page: Page): { items: T[]; nextToken?: string } {
  const start = page.start ?? 0;
  const end = start + page.size;
  return { items: items.slice(start, end), ...(end < items.length && { nextToken: page.tokenFor(end) }) };
}
