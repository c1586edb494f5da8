import { expect, test } from 'vitest';
import { separateTests, statelessTests } from './stateless-tests.ts';

test('tests of pure modules share a process; tests with mocks, an environment or child processes do not', () => {
  const files = statelessTests();
  expect(files).toContain('test/functions/planning/plan-video.test.ts');
  expect(files).toContain('embedded-aws/test/dynamodb/running-transactions.test.ts');
  expect(files).not.toContain('test/functions/queue/report.test.ts');
  expect(files).not.toContain('embedded-aws/test/ecs/ecs-server.test.ts');
  expect(files).not.toContain('embedded-aws/test/eventbridge/event-bus.test.ts');
  expect(files).not.toContain('test/encoder-task/jobs/encode-video.test.ts');
});

test('tests that end, signal or measure their process have one of their own', () => {
  const files = separateTests();
  expect(files).toContain('test/encoder-task/end-to-end/resource-use.test.ts');
  expect(files).not.toContain('test/functions/queue/report.test.ts');
  expect(files.filter((file) => statelessTests().includes(file))).toEqual([]);
});
