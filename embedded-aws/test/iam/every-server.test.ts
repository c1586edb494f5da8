import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ControlService, Protocol } from '../../src/control/control-service.ts';
import { dynamoTarget } from '../../src/dynamodb/dynamodb-server.ts';
import { ecsTarget } from '../../src/ecs/ecs-server.ts';
import { eventsTarget } from '../../src/eventbridge/eventbridge-operations.ts';
import { listenOnLoopback } from '../../src/http/http-server.ts';
import { createPrincipals, type Role } from '../../src/iam/principals.ts';
import { openS3, type S3 } from '../../src/s3/s3-server.ts';
import { sqsTarget } from '../../src/sqs/sqs-service.ts';
import { ssmTarget } from '../../src/ssm/ssm-server.ts';
import { stepFunctionsTarget } from '../../src/step-functions/step-functions-server.ts';
import { serveControl } from '../../src/testing/serve-control.ts';
import { signRequest } from '../../src/testing/sign-request.ts';

const region = 'local-1';
const sessionSeconds = 3600;
let nowMs: number;
const start = Date.parse('2026-11-21T12:00:00Z');
const now = () => new Date(nowMs);

const principals = createPrincipals(Buffer.alloc(32, 1), { sessionSeconds, now: () => nowMs });
const role: Role = principals.addRole('function a', { arn: 'arn:aws:sts::0:assumed-role/a/a', policy: () => true });
const other: Role = principals.addRole('function b', { arn: 'arn:aws:sts::0:assumed-role/b/b', policy: () => true });

const services: { name: string; signingName: string; protocol: Protocol; target?: string; path?: string }[] = [
  { name: 'DynamoDB', signingName: 'dynamodb', protocol: 'json-1.0', target: dynamoTarget },
  { name: 'Parameter Store', signingName: 'ssm', protocol: 'json-1.1', target: ssmTarget },
  { name: 'Step Functions', signingName: 'states', protocol: 'json-1.0', target: stepFunctionsTarget },
  { name: 'ECS', signingName: 'ecs', protocol: 'json-1.1', target: ecsTarget },
  { name: 'EventBridge', signingName: 'events', protocol: 'json-1.1', target: eventsTarget },
  { name: 'SQS', signingName: 'sqs', protocol: 'json-1.0', target: sqsTarget },
  { name: 'Lambda', signingName: 'lambda', protocol: 'rest-json', path: '/2015-03-31/functions/a/invocations' },
  { name: 'CloudFormation', signingName: 'cloudformation', protocol: 'query' },
];
const answering = ({ signingName, protocol }: (typeof services)[number]): ControlService => ({
  signingName,
  protocol,
  maxBodyBytes: 1000,
  handle: async (_, response) => void response.end('{}'),
});

let control: Awaited<ReturnType<typeof serveControl>>;
let s3: S3;
let storeUrl: string;
let closeStore: () => Promise<void>;
beforeAll(async () => {
  nowMs = start;
  control = await serveControl({
    region,
    now,
    find: principals.find,
    targets: new Map(services.flatMap((one) => (one.target ? [[one.target, answering(one)] as const] : []))),
    forms: new Map([['cloudformation', answering(services.at(-1)!)]]),
    lambda: answering(services.at(-2)!),
  });
  const folder = await mkdtemp(join(tmpdir(), 'every-server-'));
  const buckets = [{ name: 'media', cors: [], eventBridge: false }];
  s3 = await openS3({ folder, region, findPrincipal: principals.find, buckets, onObjectCreated: () => {}, now });
  const server = createServer((request, response) => void s3.handle(request, response));
  storeUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  closeStore = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await s3.close();
    await rm(folder, { recursive: true });
  };
});
afterAll(async () => {
  await control.stop();
  await closeStore();
});
beforeEach(() => {
  nowMs = start;
});

type Sent = {
  session?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  region?: string;
  service?: string;
  date?: Date;
  unsigned?: boolean;
  signature?: string;
};

/** Sends a request to a server and returns the status with the code of the error. */
async function ask(name: string, sent: Sent = {}): Promise<string> {
  const { session = role.issue(), unsigned, signature } = sent;
  const one = services.find((service) => service.name === name);
  const url = one ? `${control.endpoint}${one.path ?? '/'}` : `${storeUrl}/media/missing`;
  const body = one ? '{}' : '';
  const headers: Record<string, string> = {
    ...(one ? {} : { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }),
    ...(one?.target && { 'x-amz-target': `${one.target}.Do` }),
    ...(one?.protocol === 'query' && { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(session.sessionToken !== undefined && { 'x-amz-security-token': session.sessionToken }),
  };
  const { authorization, ...rest } = signRequest({
    url,
    method: one ? 'POST' : 'GET',
    headers,
    body,
    service: sent.service ?? one?.signingName ?? 's3',
    region: sent.region ?? region,
    credentials: session,
    date: sent.date ?? now(),
  }).headers;
  const signed =
    signature === undefined ? authorization! : authorization!.replace(/Signature=.*/, `Signature=${signature}`);
  const answer = await fetch(url, {
    method: one ? 'POST' : 'GET',
    headers: { ...rest, ...(!unsigned && { authorization: signed }) },
    ...(one && { body }),
  });
  const text = await answer.text();
  const code =
    answer.headers.get('x-amzn-errortype') ?? /"__type":"(?:[^"]*#)?(\w+)"|<Code>(\w+)</.exec(text)?.slice(1).join('');
  return answer.ok || code === 'NoSuchKey' ? 'accepted' : `${answer.status} ${code ?? ''}`.trim();
}

const names = [...services.map(({ name }) => name), 'S3'];

describe.each(names)('%s', (name) => {
  /** The error of each case: in the JSON protocols with `Exception`, in the query protocol and in S3 another code. */
  const isRefused = async (sent: Sent, code: RegExp) => expect(await ask(name, sent)).toMatch(code);

  test('accepts a request that is signed with temporary credentials', async () => {
    expect(await ask(name)).toBe('accepted');
    nowMs += sessionSeconds * 1000 - 1000;
    expect(await ask(name)).toBe('accepted');
  });

  test('refuses an unsigned request and a wrong signature', async () => {
    await isRefused({ unsigned: true }, /MissingAuthenticationToken|UnknownOperation|AccessDenied/);
    await isRefused({ signature: '00' }, /InvalidSignature|SignatureDoesNotMatch/);
  });

  test('refuses an unknown key, and a session token that is missing, changed or of another session', async () => {
    const session = role.issue();
    const { sessionToken, ...withoutToken } = session;
    const unknownKey = /UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId/;
    const badToken = /UnrecognizedClient|InvalidClientTokenId|InvalidToken/;
    await isRefused({ session: withoutToken }, unknownKey);
    await isRefused({ session: { accessKeyId: 'ASIAUNKNOWN', secretAccessKey: 'x' } }, unknownKey);
    await isRefused({ session: { ...session, sessionToken: `${sessionToken.slice(0, -4)}AAAA` } }, badToken);
    await isRefused({ session: { ...session, sessionToken: other.issue().sessionToken } }, badToken);
  });

  test('refuses an expired session', async () => {
    const session = role.issue();
    expect(await ask(name, { session })).toBe('accepted');
    nowMs += sessionSeconds * 1000;
    await isRefused({ session }, /ExpiredToken/);
    expect(await ask(name)).toBe('accepted');
  });

  test('refuses another region, another service and an old date', async () => {
    await isRefused({ region: 'us-east-1' }, /InvalidSignature|SignatureDoesNotMatch|AuthorizationHeaderMalformed/);
    await isRefused({ service: 'sns' }, /InvalidSignature|UnknownOperation|AuthorizationHeaderMalformed/);
    await isRefused(
      { date: new Date(start - 16 * 60_000) },
      /InvalidSignature|SignatureDoesNotMatch|RequestTimeTooSkewed/,
    );
  });
});

test('a presigned URL ends with the session of its signer, also before its own expiry', async () => {
  const { GetObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const client = new S3Client({ endpoint: storeUrl, region, credentials: role.issue(), forcePathStyle: true });
  const sign = (signingDate: Date) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: 'media', Key: 'a' }), { expiresIn: 3600, signingDate });
  nowMs += 1800_000;
  const url = await sign(now());
  expect(new URL(url).searchParams.get('X-Amz-Security-Token')).toBeTruthy();
  expect(await (await fetch(url)).text()).toContain('NoSuchKey');
  nowMs = start + sessionSeconds * 1000;
  expect(await (await fetch(url)).text()).toContain('ExpiredToken');
  const unsigned = new URL(url);
  unsigned.searchParams.delete('X-Amz-Security-Token');
  expect(await (await fetch(unsigned)).text()).toContain('InvalidAccessKeyId');
});
