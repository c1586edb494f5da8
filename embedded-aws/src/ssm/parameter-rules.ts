import { ServiceError } from '../control/json-protocol.ts';
import type { Parameter } from './parameter-file.ts';

const MAX_NAME_LENGTH = 1011;
const MAX_LEVELS = 15;
const MAX_STANDARD_BYTES = 4096;
const MAX_ADVANCED_BYTES = 8192;

/** @throws ServiceError for a name under which no parameter can be created */
export function checkName(name: string): void {
  if (!/^[A-Za-z0-9_.\-/]+$/.test(name)) {
    throw invalid('Only a mix of letters, numbers and the following 4 symbols .-_/ is allowed in a parameter name');
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw invalid(`Parameter name must have at most ${MAX_NAME_LENGTH} characters`);
  }
  const levels = name.split('/');
  if (levels.length > 1 && (levels.shift() !== '' || levels.includes(''))) {
    throw invalid('Parameter name must be a fully qualified name: /level/name, without empty levels');
  }
  if (/^(aws|ssm)/i.test(levels[0]!)) {
    throw invalid('Parameter name: can\'t be prefixed with "aws" or "ssm" (case-insensitive)');
  }
  if (levels.length > MAX_LEVELS) {
    throw new ServiceError('HierarchyLevelLimitExceededException', `A hierarchy can have at most ${MAX_LEVELS} levels`);
  }
}

/**
 * The tier for a value. An advanced parameter stays advanced.
 * @throws ServiceError for a value that is too long for the requested tier
 */
export function tierFor(value: string, asked: string | undefined, old: Parameter | undefined): Parameter['tier'] {
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_ADVANCED_BYTES) {
    throw invalid(`Advanced tier parameters support a maximum parameter value of ${MAX_ADVANCED_BYTES} characters`);
  }
  if (asked === 'Standard' && old?.tier === 'Advanced') {
    throw invalid(
      "This parameter uses the advanced-parameter tier. You can't downgrade it to the standard-parameter tier",
    );
  }
  if (asked === 'Advanced' || old?.tier === 'Advanced') return 'Advanced';
  if (bytes <= MAX_STANDARD_BYTES) return 'Standard';
  if (asked === 'Intelligent-Tiering') return 'Advanced';
  throw invalid(
    `Standard tier parameters support a maximum parameter value of ${MAX_STANDARD_BYTES} characters. ` +
      'To create a larger parameter value, upgrade the parameter to use the advanced-parameter tier',
  );
}

/** @throws ServiceError unless the whole value matches the pattern */
export function checkPattern(value: string, pattern: string | undefined): void {
  if (pattern === undefined) return;
  let matches: boolean;
  try {
    matches = new RegExp(`^(?:${pattern})$`).test(value);
  } catch {
    throw new ServiceError('InvalidAllowedPatternException', 'The allowed pattern is not a regular expression');
  }
  if (!matches)
    throw new ServiceError('ParameterPatternMismatchException', 'Parameter value failed to satisfy its pattern');
}

export function invalid(message: string): ServiceError {
  return new ServiceError('ValidationException', message);
}
