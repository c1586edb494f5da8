/** The reason why a signature is invalid. Each protocol has its own error codes and messages for it. */
export type SignatureProblem =
  | { kind: 'missing' }
  | { kind: 'algorithm'; algorithm: string }
  | { kind: 'incomplete'; missing: string[] }
  | { kind: 'date'; given: string }
  | { kind: 'scope form'; credential: string }
  | { kind: 'scope region'; region: string; expected: string }
  | { kind: 'scope service'; service: string; expected: string }
  | { kind: 'scope terminator'; terminator: string }
  | { kind: 'scope date'; date: string; amzDate: string }
  | { kind: 'unknown key'; accessKeyId: string }
  /** The session token does not belong to the access key. */
  | { kind: 'invalid token' }
  | { kind: 'expired token' }
  | { kind: 'skewed' | 'not yet valid'; amzDate: string; now: Date; maxSkewMs: number }
  | { kind: 'expiry form' | 'expiry too long' }
  | { kind: 'expired'; expires: string; expiry: Date; now: Date }
  | { kind: 'unsigned headers'; names: string[] }
  | { kind: 'mismatch'; accessKeyId: string; signature: string; stringToSign: string; canonicalRequest: string };

export class SignatureError extends Error {
  readonly problem: SignatureProblem;

  constructor(problem: SignatureProblem) {
    super(`The signature is not valid: ${problem.kind}`);
    this.name = 'SignatureError';
    this.problem = problem;
  }
}
