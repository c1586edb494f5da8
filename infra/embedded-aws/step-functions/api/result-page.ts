import { type Input, invalid, optionalText } from './operation-input.ts';
import { StatesError } from './step-functions-errors.ts';

const MOST_RESULTS = 1000;
const DEFAULT_RESULTS = 100;
const MOST_TOKEN_CHARACTERS = 3096;

/** How many results, and from which position on; `question` is what the token's first page was asked for. */
export type Page = { size: number; start: number | undefined; tokenFor(position: number): string };

/** Throws InvalidToken for a token that another question, or nobody, got as an answer. */
export function pageOf(input: Input, question: string): Page {
  const { maxResults = 0 } = input;
  if (!Number.isInteger(maxResults) || (maxResults as number) < 0 || (maxResults as number) > MOST_RESULTS) {
    throw invalid('maxResults', `Member must have value between 0 and ${MOST_RESULTS}`);
  }
  const token = optionalText(input, 'nextToken', MOST_TOKEN_CHARACTERS);
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
    // Told below.
  }
  throw new StatesError('InvalidToken', "Invalid Token: 'The nextToken is not valid for this request'");
}

/** A page of a list that is at hand. */
export function slicePage<T>(items: T[], page: Page): { items: T[]; nextToken?: string } {
  const start = page.start ?? 0;
  const end = start + page.size;
  return { items: items.slice(start, end), ...(end < items.length && { nextToken: page.tokenFor(end) }) };
}
