import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { readLogLevel, readSettings } from '../../../encoder-task/worker/settings.ts';
import { templateOf } from '../synthesised.ts';

const name = 'video-service-dev-early-worker';
const dev = templateOf('dev', { earlyWorker: { maxConcurrency: 7 } });
const imageFunctions = (template: typeof dev) =>
  Object.values(template.findResources('AWS::Lambda::Function', { Properties: { PackageType: 'Image' } }));
const enqueueIn = (template: typeof dev, stage: string) =>
  Object.values(
    template.findResources('AWS::Lambda::Function', {
      Properties: { FunctionName: `video-service-${stage}-enqueue` },
    }),
  )[0]!.Properties;

describe('the early worker', () => {
  test('runs the image of the tasks with the most memory, for 15 minutes at most, with reserved concurrency', () => {
    const [task] = Object.values(dev.findResources('AWS::ECS::TaskDefinition'));
    const [{ Image }] = task!.Properties.ContainerDefinitions;
    const tagIn = (uri: unknown) => /\/?video-service-dev:(worker-arm64-[0-9a-f]{64})/.exec(JSON.stringify(uri))?.[1];
    dev.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: name,
      PackageType: 'Image',
      ImageConfig: { EntryPoint: ['/usr/local/bin/node'], Command: ['/app/main.mjs'], WorkingDirectory: '/tmp' },
      Architectures: ['arm64'],
      MemorySize: 10_240,
      EphemeralStorage: { Size: 10_240 },
      Timeout: 900,
      ReservedConcurrentExecutions: 7,
      LoggingConfig: { LogGroup: Match.anyValue() },
    });
    const [{ Properties }] = imageFunctions(dev) as [{ Properties: { Code: { ImageUri: unknown } } }];
    expect(tagIn(Image)).toBeDefined();
    expect(tagIn(Properties.Code.ImageUri)).toBe(tagIn(Image));
  });

  test('has an environment that it accepts, with a folder that it can write to', () => {
    const [{ Properties }] = imageFunctions(dev) as [{ Properties: { Environment: { Variables: NodeJS.ProcessEnv } } }];
    const env = Properties.Environment.Variables;
    expect(readLogLevel(env)).toBe('info');
    const event = { SYNC_URL: 'https://api.example.com/sync', WORKER_TOKEN: 'early.secret' };
    expect(readSettings({ ...env, ...event })).toMatchObject({ workFolder: '/tmp', idleExitSeconds: 10 });
    expect(env.TMPDIR).toBe('/tmp');
  });

  test('is invoked by the function that queues jobs: for a minute, and never again', () => {
    expect(enqueueIn(dev, 'dev').Environment.Variables.EARLY_WORKER_FUNCTION).toBe(name);
    dev.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: Match.stringLikeRegexp('^EarlyWorker') },
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });
});

test('tasks may run a converted image of the repository, while the function runs the one that is built', () => {
  const digest = `sha256:${'c'.repeat(64)}`;
  const image = `123456789012.dkr.ecr.eu-west-1.amazonaws.com/video-service-dev@${digest}`;
  const converted = templateOf('dev', { workers: { image } });
  const [task] = Object.values(converted.findResources('AWS::ECS::TaskDefinition'));
  expect(JSON.stringify(task!.Properties.ContainerDefinitions[0].Image)).toContain(`/video-service-dev@${digest}`);
  expect(JSON.stringify(imageFunctions(converted))).toMatch(/video-service-dev:worker-arm64-/);
  const pull = { Action: Match.arrayWith(['ecr:BatchGetImage']), Effect: 'Allow', Resource: Match.anyValue() };
  converted.hasResourceProperties('AWS::IAM::Policy', {
    PolicyName: Match.stringLikeRegexp('^WorkersTaskExecutionRole'),
    PolicyDocument: { Statement: Match.arrayWith([pull]) },
  });
});

test.each([
  ['on one machine', 'local', {}],
  ['in a stage that turns it off', 'dev', { earlyWorker: { enabled: false } }],
  [
    'with an image of another registry',
    'dev',
    { workers: { image: `registry.example.com/w@sha256:${'a'.repeat(64)}` } },
  ],
])('%s there is none, and nothing may invoke it', (_, stage, overrides) => {
  const template = templateOf(stage, overrides);
  expect(imageFunctions(template)).toEqual([]);
  expect(enqueueIn(template, stage).Environment.Variables).not.toHaveProperty('EARLY_WORKER_FUNCTION');
  expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).not.toContain('early-worker');
  const alarms = JSON.stringify(template.findResources('AWS::CloudWatch::Alarm'));
  expect(alarms).not.toMatch(/early-worker|EarlyWorker/);
  expect(alarms).toContain('"Throttles"');
});
