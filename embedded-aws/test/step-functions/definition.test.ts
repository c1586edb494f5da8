import { expect, test } from 'vitest';
import { parseDefinition } from '../../src/step-functions/definition/check-definition.ts';
import { parseResource } from '../../src/step-functions/definition/task-resource.ts';

const problemWith = (machine: object) => {
  try {
    parseDefinition(JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'A', ...machine }));
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};
const only = (A: object) => ({ States: { A } });

test.each([
  [{ QueryLanguage: 'JSONPath', ...only({ Type: 'Succeed' }) }, 'QueryLanguage must be JSONata'],
  [{ States: {} }, 'StartAt is not the name of a state: A'],
  [only({ Type: 'Sleep', End: true }), '/A: unknown Type Sleep'],
  [{ States: { A: { Type: 'Succeed' }, ['x'.repeat(81)]: { Type: 'Succeed' } } }, 'at most 80 characters'],
  [{ Comment: 'x'.repeat(1024 * 1024), ...only({ Type: 'Succeed' }) }, 'more than 1048576 bytes'],
  [only({ Type: 'Pass', ResultPath: '$.a', End: true }), '/A: Pass has no field ResultPath'],
  [only({ Type: 'Pass', Next: 'B' }), '/A: the state B does not exist'],
  [only({ Type: 'Pass' }), '/A: Next or End is missing'],
  [only({ Type: 'Pass', Output: { a: ['{% 1 + %}'] }, End: true }), '/A/Output/a/0'],
  [only({ Type: 'Task', Resource: 'arn:aws:states:::ecs:runTask.sync', End: true }), 'pattern of'],
  [only({ Type: 'Choice', Choices: [], Default: 'C' }), '/A: the state C does not exist'],
])('%o is not supported: %s', (machine, problem) => {
  expect(problemWith(machine)).toContain(problem);
});

const inner = { StartAt: 'I', States: { I: { Type: 'Pass', Assign: { x: 1 }, End: true } } };

test('an inner flow may not assign a variable of an outer flow, but a child execution may', () => {
  const parallel = { Type: 'Parallel', Branches: [inner], Assign: { x: 2 }, End: true };
  expect(problemWith(only(parallel))).toContain('/A[0]/I: the variable x is already assigned in an enclosing flow');
  const ItemProcessor = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' }, ...inner };
  expect(problemWith(only({ Type: 'Map', ItemProcessor, Assign: { x: 2 }, End: true }))).toBe('none');
});

test('ItemReader, ItemBatcher and ResultWriter require a distributed Map and supported settings', () => {
  const ItemReader = { Resource: 'arn:aws:states:::s3:getObject', ReaderConfig: { InputType: 'CSV' } };
  expect(problemWith(only({ Type: 'Map', ItemProcessor: inner, ItemReader, End: true }))).toContain(
    'require the mode DISTRIBUTED',
  );
  const ItemProcessor = { ProcessorConfig: { Mode: 'DISTRIBUTED' }, ...inner };
  expect(problemWith(only({ Type: 'Map', ItemProcessor, ItemReader, End: true }))).toContain('InputType CSV');
});

test('resources are functions and service integrations, with or without a token', () => {
  expect(parseResource('arn:aws:lambda:eu-west-1:1:function:f')).toEqual({
    kind: 'function',
    arn: 'arn:aws:lambda:eu-west-1:1:function:f',
  });
  expect(parseResource('arn:aws:states:::lambda:invoke.waitForTaskToken')).toEqual({
    kind: 'service',
    api: 'lambda:invoke',
    service: 'lambda',
    action: 'invoke',
    suffix: '.waitForTaskToken',
  });
  expect(parseResource('arn:aws:states:::aws-sdk:ecs:runTask')).toMatchObject({
    api: 'aws-sdk:ecs:runTask',
    service: 'aws-sdk:ecs',
    action: 'runTask',
    suffix: '',
  });
});
