import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'embedded-aws';
import { expect, test, vi } from 'vitest';
import { repositoryRoot } from '../../../infra/repository-root.ts';
import { createRandom } from '../../../lab/simulate/events.ts';
import { templateOf } from '../synthesised.ts';
import { openStage } from './deployed-stage.ts';

// What is repeated is repeated at once.
vi.mock('node:timers/promises', () => ({ setTimeout: async () => {} }));

/** The commands of "Remove a stage", by step, without those that only look. */
const section = readFileSync(join(repositoryRoot, 'docs/runbook.md'), 'utf8').split('## Remove a stage')[1]!;
const steps = section
  .split(/^\d\. /m)
  .slice(1)
  .map((step) => [...step.matchAll(/^ {3}((?:aws|npx) .+)$/gm)].map(([, line]) => line!));
const [waiting, emptying, deleting] = [steps[1]!, steps[2]!, steps[3]!];

/** A deployed stage with a running task and files, for which the documented commands do what AWS does. */
async function openUsed(stage: 'dev' | 'prod', overrides: object = {}) {
  const template = structuredClone(templateOf(stage, overrides).toJSON() as Template);
  const { VersioningConfiguration } = Object.values(template.Resources).find(({ Type }) => Type === 'AWS::S3::Bucket')!
    .Properties as { VersioningConfiguration?: { Status: string } };
  let [tasks, objects, versions] = [1, 2, 0];
  const deployed = await openStage({
    stage,
    random: createRandom(1),
    deletionProblem(_, { Type }) {
      if (Type === 'AWS::S3::Bucket' && objects + versions > 0) return 'The bucket you tried to delete is not empty';
      if (Type === 'AWS::ECS::Cluster' && tasks > 0) return 'The Cluster cannot be deleted while Tasks are active.';
      return undefined;
    },
  });
  const put = (): void => {
    objects += 1;
  };
  const empty = (): void => {
    objects = 0;
    versions = 0;
  };
  const removeCurrent = (): void => {
    if (VersioningConfiguration?.Status === 'Enabled') versions += objects;
    objects = 0;
  };
  const endTasks = (): void => {
    tasks = 0;
  };
  const commands: [RegExp, () => unknown][] = [
    [/^aws ecs list-tasks /, endTasks],
    [/^aws s3 rm s3:\/\/\$\(output BucketName\) --recursive$/, removeCurrent],
    [/^aws cloudformation .*--stack-name video-service-\$STAGE --no-enable/, () => deployed.protect(false)],
    // The stack of the images has one resource, which empties itself.
    [/^aws cloudformation .*--stack-name video-service-\$STAGE-images --no-enable/, () => undefined],
    [/^npx cdk destroy --all -c stage=\$STAGE$/, () => deployed.destroy()],
  ];
  const run = async (lines: readonly string[]): Promise<unknown> => {
    let last: unknown;
    for (const line of lines) {
      const [, perform] = commands.find(([text]) => text.test(line)) ?? [];
      if (!perform) throw new Error(`This test cannot run ${line}`);
      last = await perform();
    }
    return last;
  };
  expect(await deployed.deploy(template)).toEqual({ status: 'CREATE_COMPLETE', reasons: [] });
  deployed.protect(true);
  return { ...deployed, run, put, empty };
}

const failedBy = (reason: string) => ({
  status: 'DELETE_FAILED',
  reasons: expect.arrayContaining([expect.stringContaining(reason)]),
});
const deleted = { status: 'DELETE_COMPLETE', reasons: [] };

test('a dev stage is removed as the runbook says, also if a log arrives between its commands', async () => {
  const stage = await openUsed('dev');
  expect(await stage.destroy()).toEqual(failedBy('TerminationProtection'));
  await stage.run([...waiting, ...emptying]);
  stage.put();
  expect(await stage.run(deleting)).toEqual(failedBy('not empty'));
  expect(await stage.run([...emptying, ...deleting])).toEqual(deleted);
  expect([...stage.resources.existing.keys(), ...stage.resources.retained]).toEqual([]);
  expect(stage.refused).toEqual([]);
});

test('a stage with running tasks is not removed before they end', async () => {
  const stage = await openUsed('dev');
  expect(await stage.run([...emptying, ...deleting])).toEqual(failedBy('Tasks are active'));
  expect(await stage.run([...waiting, ...deleting])).toEqual(deleted);
});

test('versions of objects keep a stage until the bucket is emptied of them', async () => {
  expect(section).toContain('the bucket also has versions, which the button *Empty* of the S3 console deletes');
  const stage = await openUsed('dev', { noncurrentVersionDays: 7 });
  await stage.run([...waiting, ...emptying]);
  expect(await stage.run(deleting)).toEqual(failedBy('not empty'));
  stage.empty();
  expect(await stage.run(deleting)).toEqual(deleted);
});

test('a removed prod stage leaves its table, bucket, keys and log groups, as the runbook says', async () => {
  const stage = await openUsed('prod');
  expect(await stage.run([...waiting, ...emptying, ...deleting])).toEqual(deleted);
  const types = new Set([...stage.resources.retained].map((one) => one.split(' ')[0]));
  expect([...types].toSorted()).toEqual([
    'AWS::DynamoDB::Table',
    'AWS::KMS::Key',
    'AWS::Logs::LogGroup',
    'AWS::S3::Bucket',
  ]);
  expect(section).toContain('In `prod` the table, the bucket, the KMS keys and the log groups remain.');
});
