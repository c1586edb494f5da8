import { describe, expect, test } from 'vitest';
import { compileDenials, compilePolicy, type Statement } from '../../src/iam/policy.ts';
import { restrictByBucketPolicies } from '../../src/stack/bucket-denials.ts';

const bucket = 'arn:aws:s3:::media';
const allow = (more: Partial<Statement> = {}): Statement => ({
  Effect: 'Allow',
  Action: 's3:GetObject',
  Resource: `${bucket}/videos/*`,
  ...more,
});
const decide = (statements: unknown[], action: string, resource: string, context = {}) =>
  compilePolicy(statements)({ action, resource, context });

test('a request that no statement allows is denied', () => {
  expect(decide([], 's3:GetObject', `${bucket}/videos/a`)).toBe(false);
  expect(decide([allow()], 's3:GetObject', `${bucket}/videos/a`)).toBe(true);
  expect(decide([allow()], 's3:PutObject', `${bucket}/videos/a`)).toBe(false);
  expect(decide([allow()], 's3:GetObject', `${bucket}/uploads/a`)).toBe(false);
  expect(decide([allow()], 's3:GetObject', `${bucket}2/videos/a`)).toBe(false);
});

test('Deny overrides Allow', () => {
  const deny = allow({ Effect: 'Deny', Action: 's3:*', Resource: `${bucket}/videos/secret*` });
  expect(decide([allow(), deny], 's3:GetObject', `${bucket}/videos/secret.mp4`)).toBe(false);
  expect(decide([deny, allow()], 's3:GetObject', `${bucket}/videos/public.mp4`)).toBe(true);
});

test.each([
  ['s3:getobject', 's3:GetObject', true],
  ['s3:*', 's3:GetObject', true],
  ['s3:Get*', 's3:GetObjectTagging', true],
  ['s3:Get?bject', 's3:GetObject', true],
  ['s3:Get', 's3:GetObject', false],
  ['s3.GetObject', 's3:GetObject', false],
  ['*', 'dynamodb:Scan', true],
  [['s3:PutObject', 's3:GetObject'], 's3:GetObject', true],
])('the action %s covers %s: %s', (Action, action, covers) => {
  expect(decide([allow({ Action, Resource: '*' })], action, `${bucket}/a`)).toBe(covers);
});

test.each([
  ['*', 'arn:aws:ssm:local-1:000000000000:parameter/a', true],
  ['*', '*', true],
  ['arn:aws:ssm:local-1:000000000000:parameter/a/*', 'arn:aws:ssm:local-1:000000000000:parameter/a/b/c', true],
  ['arn:aws:ssm:local-1:000000000000:parameter/a/*', 'arn:aws:ssm:local-1:000000000000:parameter/a', false],
  ['arn:aws:ssm:*:parameter/a', 'arn:aws:ssm:local-1:000000000000:parameter/a', false],
  ['arn:aws:ssm:*:*:parameter/a', 'arn:aws:ssm:local-1:000000000000:parameter/a', true],
  ['arn:aws:states:local-1:0:execution:m:*', 'arn:aws:states:local-1:0:execution:m:one', true],
  ['arn:aws:states:local-1:0:execution:m:*', 'arn:aws:states:local-1:0:execution:other:one', false],
  ['arn:aws:s3:::media/a.b', 'arn:aws:s3:::media/axb', false],
  ['arn:aws:s3:::media/*', 'arn:aws:s3:::media/line\nbreak', true],
  ['arn:aws:s3:::media/*', '*', false],
])('the resource %s covers %s: %s', (Resource, resource, covers) => {
  expect(decide([allow({ Action: '*', Resource })], 'x:Y', resource)).toBe(covers);
});

describe('conditions', () => {
  const holds = (Condition: Statement['Condition'], context: object) =>
    decide([allow({ Action: '*', Resource: '*', Condition })], 's3:ListBucket', bucket, context);

  test('all keys must match, each with one of its values', () => {
    const condition = { StringEquals: { 's3:prefix': ['a', 'b'], 's3:delimiter': '/' } };
    expect(holds(condition, { 's3:prefix': 'b', 's3:delimiter': '/' })).toBe(true);
    expect(holds(condition, { 's3:prefix': 'c', 's3:delimiter': '/' })).toBe(false);
    expect(holds(condition, { 's3:prefix': 'b' })).toBe(false);
  });

  test.each([
    [{ StringLike: { 's3:prefix': 'videos/*' } }, 'videos/a', true],
    [{ StringLike: { 's3:prefix': 'videos/*' } }, 'uploads/a', false],
    [{ StringLike: { 's3:prefix': 'videos/*' } }, undefined, false],
    [{ StringLikeIfExists: { 's3:prefix': 'videos/*' } }, undefined, true],
    [{ StringLikeIfExists: { 's3:prefix': 'videos/*' } }, 'uploads/a', false],
    [{ StringNotEquals: { 'S3:Prefix': 'a' } }, 'b', true],
    [{ StringNotEquals: { 's3:prefix': 'a' } }, 'a', false],
    [{ StringNotEquals: { 's3:prefix': 'a' } }, undefined, true],
    [{ Null: { 's3:prefix': 'false' } }, 'a', true],
    [{ Null: { 's3:prefix': 'false' } }, undefined, false],
    [{ Null: { 's3:prefix': 'true' } }, undefined, true],
  ])('%j matches the prefix %s: %s', (condition, prefix, expected) => {
    expect(holds(condition as never, prefix === undefined ? {} : { 's3:prefix': prefix })).toBe(expected);
  });

  test('ARNs are compared part by part', () => {
    const condition = { ArnEquals: { 'ecs:cluster': 'arn:aws:ecs:local-1:0:cluster/video-*' } };
    expect(holds(condition, { 'ecs:cluster': 'arn:aws:ecs:local-1:0:cluster/video-local' })).toBe(true);
    expect(holds(condition, { 'ecs:cluster': 'arn:aws:ecs:local-1:0:cluster/other' })).toBe(false);
  });
});

test.each([
  ['an operator', allow({ Condition: { NumericLessThan: { 's3:prefix': '5' } } })],
  ['a condition key', allow({ Condition: { StringEquals: { 'aws:SourceIp': '10.0.0.1' } } })],
  ['a policy variable', allow({ Resource: `${bucket}/\${aws:username}/*` })],
])('an unknown %s is an error', (_, statement) => {
  expect(() => compilePolicy([statement])).toThrow();
});

test('a statement about the external id of a role can be read, and no request of the embedded services has one', () => {
  const Condition = { Null: { 'sts:ExternalId': 'false' } };
  const statement = allow({ Action: 'sts:AssumeRole', Resource: '*', Condition });
  expect(decide([statement], 'sts:AssumeRole', 'arn:aws:iam::1:role/media', {})).toBe(false);
});

describe('conditions on several values', () => {
  const holds = (Condition: Statement['Condition'], context: object) =>
    decide(
      [allow({ Action: '*', Resource: '*', Condition })],
      'dynamodb:BatchGetItem',
      'arn:aws:dynamodb:a:b:table/c',
      context,
    );
  const all = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['a*', 'b'] } };
  const any = { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['a*', 'b'] } };

  test.each([
    [['a1', 'b'], true, true],
    [['a1', 'c'], false, true],
    [['c'], false, false],
    [[], true, false],
    [undefined, true, false],
  ])('of the values %j all match: %s, any matches: %s', (values, allMatch, anyMatches) => {
    const context = values ? { 'dynamodb:leadingkeys': values } : {};
    expect(holds(all, context)).toBe(allMatch);
    expect(holds(any, context)).toBe(anyMatches);
  });

  test('a multivalued key needs a set operator, and a key with one value has none', () => {
    expect(() => holds({ StringLike: { 'dynamodb:LeadingKeys': 'a' } }, {})).toThrow(/ForAllValues or ForAnyValue/);
    expect(() => holds({ 'ForAllValues:StringLike': { 's3:prefix': 'a' } }, {})).toThrow(/multivalued/);
  });
});

describe('opposite elements', () => {
  test('NotAction and NotResource cover everything else', () => {
    const notAction = { Effect: 'Allow', NotAction: ['s3:Delete*', 'iam:*'], Resource: '*' };
    expect(decide([notAction], 's3:GetObject', bucket)).toBe(true);
    expect(decide([notAction], 's3:DeleteObject', bucket)).toBe(false);
    const notResource = { Effect: 'Deny', Action: '*', NotResource: `${bucket}/videos/*` };
    expect(decide([allow({ Resource: '*' }), notResource], 's3:GetObject', `${bucket}/videos/a`)).toBe(true);
    expect(decide([allow({ Resource: '*' }), notResource], 's3:GetObject', `${bucket}/plans/a`)).toBe(false);
  });

  test('a statement has exactly one of an element and its opposite', () => {
    expect(() => compilePolicy([{ ...allow(), NotAction: 's3:*' }])).toThrow('either Action or NotAction');
    expect(() => compilePolicy([{ Effect: 'Allow', Action: '*' }])).toThrow('either Resource or NotResource');
  });
});

describe('a bucket policy', () => {
  const insecure = {
    ...allow({ Effect: 'Deny', Action: 's3:*', Resource: [bucket, `${bucket}/*`] }),
    Principal: { AWS: '*' },
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };
  const principal = { arn: 'arn', policy: () => true, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
  const allows = (statements: unknown[], resource: string) =>
    restrictByBucketPolicies(
      () => principal,
      compileDenials(statements),
    )('a')!.policy({
      action: 's3:GetObject',
      resource,
      context: {},
    });

  test('that refuses requests without TLS does not refuse those of the local endpoint, which stands for HTTPS', () => {
    expect(allows([insecure], `${bucket}/a`)).toBe(true);
    const secure = { ...insecure, Condition: { Bool: { 'aws:SecureTransport': 'true' } } };
    expect(allows([secure], `${bucket}/a`)).toBe(false);
  });

  test('overrides what the policies of a principal allow, for its bucket', () => {
    const all = { Effect: 'Deny', Principal: '*', Action: 's3:Get*', Resource: `${bucket}/secret/*` };
    expect(allows([all], `${bucket}/secret/a`)).toBe(false);
    expect(allows([all], `${bucket}/a`)).toBe(true);
    expect(() => compileDenials([{ ...all, Principal: { AWS: 'arn:aws:iam::1:role/a' } }])).toThrow(/all principals/);
  });
});
