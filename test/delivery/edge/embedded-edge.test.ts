import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  distributionResources as resources,
  runDistribution,
  distributionTemplate as templateOf,
} from 'embedded-aws/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edgeFunctionCode } from '../../../infra/edge/function-code.ts';
import { answeredObject, answerKeys, signedUrlAnswers } from '../../fixtures/signed-url-answers.ts';

const content = 'segment';
let edge: Awaited<ReturnType<typeof runDistribution>>;

beforeAll(async () => {
  const deployed = (name: 'Rewrite' | 'Respond', code: string) => ({
    [name]: { ...resources[name]!, Properties: { ...resources[name]!.Properties, FunctionCode: code } },
  });
  const template = templateOf({
    ...deployed('Rewrite', edgeFunctionCode('viewer-request')),
    ...deployed('Respond', edgeFunctionCode('viewer-response')),
  });
  edge = await runDistribution(template, new Map(Object.entries(answerKeys).map(([id, key]) => [`key/${id}`, key])));
  await edge.put(answeredObject, content);
});
afterAll(() => edge.close());

/** `fetch` would resolve parts such as `..` before it sends the path. */
async function ask(method: string, path: string): Promise<{ status: number | undefined; body: string }> {
  const sent = request(edge.address, { method, path });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}

test('1,000 viewers whose players say different things cause one read of the bucket', async () => {
  const { target } = signedUrlAnswers[0]!;
  const segment = answeredObject.replace('1.m4s', '2.m4s');
  await edge.put(segment, 'second');
  const bodies = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const argument = `CMCD=bl%3D${index}00%2Csid%3D%22viewer-${index}%22`;
      return (await edge.get(`${target.replace('1.m4s', '2.m4s')}?${argument}`)).text();
    }),
  );
  expect(new Set(bodies)).toEqual(new Set(['second']));
  expect(edge.reads).toEqual([`bytes=0-4194303 ${segment}`]);
});

test.each(signedUrlAnswers.map((row) => [row.name, row] as const))(
  'the embedded distribution with the functions of the stage answers %s',
  async (_, { method, target, status, message }) => {
    const expected = message === undefined ? (method === 'GET' ? content : '') : JSON.stringify({ message });
    expect(await ask(method, target)).toEqual({ status, body: expected });
  },
);
