/** The package has no types. */
declare module 'asl-validator' {
  type Finding = { 'Error code': string; Message?: string };

  /** Whether a definition is valid Amazon States Language, with its errors. */
  export default function validate(
    definition: unknown,
    options?: { checkPaths?: boolean; checkArn?: boolean },
  ): {
    isValid: boolean;
    errors: Finding[];
    errorsText(separator?: string): string;
  };
}
