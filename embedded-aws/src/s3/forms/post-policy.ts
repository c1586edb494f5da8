import type { Principal } from '../../iam/principals.ts';
import { equalSignatures, sign } from '../../iam/signature-v4.ts';
import { findSigner, type Verifier } from '../../iam/verify-signature.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { withS3Errors } from '../requests/authenticate.ts';

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html

export type PostLimits = { minBytes: number; maxBytes: number };

type Condition = { kind: 'eq' | 'starts-with'; field: string; value: string; text: string };
type Policy = { expiration: Date; conditions: Condition[]; limits: PostLimits };

/** Fields that are allowed without a condition in the policy. */
const unnamed = /^(policy|x-amz-signature|file|x-ignore-.*)$/;

function invalid(message: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${message}`);
}

function parseCondition(condition: unknown): Condition | PostLimits {
  const text = JSON.stringify(condition);
  if (Array.isArray(condition) && condition.length === 3) {
    const [kind, first, second] = condition as unknown[];
    if (typeof kind === 'string' && kind.toLowerCase() === 'content-length-range') {
      const [minBytes, maxBytes] = [Number(first), Number(second)];
      if (minBytes >= 0 && maxBytes >= minBytes) return { minBytes, maxBytes };
    } else if (typeof kind === 'string' && typeof first === 'string' && typeof second === 'string') {
      const name = kind.toLowerCase();
      if ((name === 'eq' || name === 'starts-with') && first.startsWith('$')) {
        return { kind: name, field: first.slice(1).toLowerCase(), value: second, text };
      }
    }
  } else if (typeof condition === 'object' && condition !== null && !Array.isArray(condition)) {
    const [entry, ...others] = Object.entries(condition);
    if (entry && others.length === 0 && typeof entry[1] === 'string') {
      return { kind: 'eq', field: entry[0].toLowerCase(), value: entry[1], text };
    }
  }
  throw invalid(`Invalid condition: ${text}`);
}

/** @throws InvalidPolicyDocument */
function parsePolicy(encoded: string): Policy {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    throw invalid('Invalid JSON.');
  }
  const { expiration, conditions } = (document ?? {}) as { expiration?: unknown; conditions?: unknown };
  const expires = new Date(typeof expiration === 'string' ? expiration : Number.NaN);
  if (Number.isNaN(expires.getTime())) throw invalid('Policy missing or invalid expiration.');
  if (!Array.isArray(conditions)) throw invalid('Policy missing conditions.');
  const parsed = conditions.map(parseCondition);
  const ranges = parsed.filter((condition) => 'minBytes' in condition);
  return {
    expiration: expires,
    conditions: parsed.filter((condition) => 'kind' in condition),
    limits: {
      minBytes: Math.max(0, ...ranges.map((range) => range.minBytes)),
      maxBytes: Math.min(Number.POSITIVE_INFINITY, ...ranges.map((range) => range.maxBytes)),
    },
  };
}

/**
 * The principal that signed the policy.
 * @throws AccessDenied, InvalidArgument, InvalidAccessKeyId, SignatureDoesNotMatch
 */
function requirePostSignature(fields: Map<string, string>, verifier: Verifier): Principal {
  const [policy, algorithm, credential, amzDate, signature] = [
    'policy',
    'x-amz-algorithm',
    'x-amz-credential',
    'x-amz-date',
    'x-amz-signature',
  ].map((name) => fields.get(name));
  if (policy === undefined) throw new S3Error('AccessDenied');
  for (const [name, value] of Object.entries({ algorithm, credential, amzDate, signature })) {
    if (value === undefined)
      throw new S3Error('InvalidArgument', `Bucket POST must contain a field named X-Amz-${name}.`);
  }
  if (algorithm !== 'AWS4-HMAC-SHA256')
    throw new S3Error('InvalidArgument', 'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
  const { principal, key, scope } = withS3Errors('form', () =>
    findSigner(
      { credential: credential!, sessionToken: fields.get('x-amz-security-token'), amzDate: amzDate! },
      verifier,
    ),
  );
  if (equalSignatures(sign(key, policy), signature!)) return principal;
  throw new S3Error('SignatureDoesNotMatch', undefined, {
    details: { AWSAccessKeyId: scope.accessKeyId, StringToSign: policy, SignatureProvided: signature! },
  });
}

function refused(reason: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${reason}`);
}

function holds({ kind, value }: Condition, given: string | undefined): boolean {
  if (given === undefined) return kind === 'starts-with' && value === '';
  return kind === 'eq' ? given === value : given.startsWith(value);
}

/**
 * Checks the signature, expiration and conditions of a policy, and that a condition covers each field. `bucket` is the
 * bucket of the URL. Returns the signer and the limits for the size of the file, which is not known yet.
 * @throws AccessDenied and similar errors
 */
export function requirePostPolicy(
  fields: Map<string, string>,
  bucket: string,
  verifier: Verifier,
): { principal: Principal; limits: PostLimits } {
  const principal = requirePostSignature(fields, verifier);
  const policy = parsePolicy(fields.get('policy')!);
  if (verifier.now() >= policy.expiration) throw refused('Policy expired.');

  const given = new Map([['bucket', bucket], ...fields]);
  if (given.get('bucket') !== bucket) throw refused(`Policy Condition failed: ["eq", "$bucket", "${bucket}"]`);
  for (const condition of policy.conditions) {
    if (!holds(condition, given.get(condition.field))) throw refused(`Policy Condition failed: ${condition.text}`);
  }
  const named = new Set(policy.conditions.map((condition) => condition.field));
  const extra = [...fields.keys()].filter((name) => !named.has(name) && !unnamed.test(name));
  if (extra.length > 0) throw refused(`Extra input fields: ${extra.join(', ')}`);
  return { principal, limits: policy.limits };
}
