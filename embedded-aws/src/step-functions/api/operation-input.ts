import { StepFunctionsError } from './step-functions-errors.ts';

/** The parsed input of an operation, not validated. */
export type Input = Record<string, unknown>;

/** A string of 1 to `most` characters. @throws ValidationException */
export function requiredText(input: Input, member: string, most: number): string {
  const text = optionalText(input, member, most);
  if (text === undefined || text === '') throw invalid(member, 'Member must not be null or empty');
  return text;
}

export function optionalText(input: Input, member: string, most: number): string | undefined {
  const value = input[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(member, 'Member must be a string');
  if (value.length > most) throw invalid(member, `Member must have length less than or equal to ${most}`);
  return value;
}

/** @throws InvalidArn, or ValidationException when the member is missing */
export function requiredArn(input: Input, member: string): string {
  const arn = requiredText(input, member, 2000);
  if (!/^arn:[\w-]+:states:[\w-]*:\d*:.+/.test(arn)) {
    throw new StepFunctionsError('InvalidArn', `Invalid Arn: 'Invalid ARN: ${arn}'`);
  }
  return arn;
}

export function invalid(member: string, problem: string): StepFunctionsError {
  return new StepFunctionsError(
    'ValidationException',
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: ${problem}`,
  );
}
