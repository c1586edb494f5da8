import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCustomResources } from '../../src/cloudformation/custom-resources.ts';
import { deployedTemplate } from '../../src/template/deployed-template.ts';

const place = { stackName: 'demo', region: 'local-1', accountId: '000000000000', apiUrl: 'http://127.0.0.1:3000' };
const resources = {
  Secret: { Type: 'Custom::Secret', Properties: { ServiceToken: 'arn:function', ServiceTimeout: '5', Length: 3 } },
};

type Event = { ResponseURL: string; [name: string]: unknown };

async function prepare() {
  const folder = await mkdtemp(join(tmpdir(), 'custom-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const events: Event[] = [];
  const create = async (answer: object, properties: object = {}) => {
    const { Secret } = resources;
    const changed = { Secret: { ...Secret, Properties: { ...Secret.Properties, ...properties } } };
    const template = deployedTemplate({ Resources: changed }, place);
    await createCustomResources({
      template,
      file: join(folder, 'custom-resources.json'),
      stackId: 'arn:stack',
      invoke: async (_, event) => {
        events.push(event as Event);
        const { status } = await fetch((event as Event).ResponseURL, { method: 'PUT', body: JSON.stringify(answer) });
        return status === 200 ? {} : { functionError: 'Unhandled' };
      },
    });
    return template.resolve({ 'Fn::GetAtt': ['Secret', 'Value'] });
  };
  return { events, create };
}

test('a custom resource is created once, and its attributes stay the same', async () => {
  const { events, create } = await prepare();
  expect(await create({ Status: 'SUCCESS', PhysicalResourceId: 'secret', Data: { Value: 'one' } })).toBe('one');
  expect(await create({ Status: 'SUCCESS', PhysicalResourceId: 'secret', Data: { Value: 'two' } })).toBe('one');
  expect(events).toEqual([
    {
      RequestType: 'Create',
      StackId: 'arn:stack',
      RequestId: expect.any(String),
      LogicalResourceId: 'Secret',
      ResourceType: 'Custom::Secret',
      ResourceProperties: { ServiceToken: 'arn:function', Length: 3 },
      ResponseURL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}$/),
    },
  ]);
});

test('a resource that fails stops the start, and is created at the next one', async () => {
  const { create } = await prepare();
  await expect(create({ Status: 'FAILED', Reason: 'no permission' })).rejects.toThrow(
    'Secret was not created: no perm',
  );
  expect(await create({ Status: 'SUCCESS', PhysicalResourceId: 'secret', Data: { Value: 'one' } })).toBe('one');
});

test('a custom resource whose properties have changed is updated', async () => {
  const { events, create } = await prepare();
  await create({ Status: 'SUCCESS', PhysicalResourceId: 'secret', Data: { Value: 'one' } });
  const answer = { Status: 'SUCCESS', PhysicalResourceId: 'secret', Data: { Value: 'longer' } };
  expect(await create(answer, { Length: 6 })).toBe('longer');
  expect(events[1]).toMatchObject({
    RequestType: 'Update',
    PhysicalResourceId: 'secret',
    ResourceProperties: { Length: 6 },
    OldResourceProperties: { Length: 3 },
  });
});
