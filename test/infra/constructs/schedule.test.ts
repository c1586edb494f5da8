import { expect, test } from 'vitest';
import { templateOf } from '../synthesised.ts';

test('each rule of the schedule has its rate, and says when its function does only a part', () => {
  const rules = Object.entries(templateOf('dev').findResources('AWS::Events::Rule'));
  const scheduled = rules.flatMap(([id, { Properties }]) => {
    const name = /^Scheduleschedule(\w+)rule|^Schedule(\w+)rule/.exec(id)?.slice(1).find(Boolean);
    return name === undefined ? [] : [[name, Properties.ScheduleExpression, Properties.Targets[0].Input]];
  });
  expect(scheduled).toEqual([
    ['reap', 'rate(1 minute)', undefined],
    ['checknodes', 'rate(1 minute)', undefined],
    ['reconcile', 'rate(15 minutes)', '{"scheduled":true}'],
    ['sweep', 'rate(15 minutes)', undefined],
    ['sweepwaiting', 'rate(1 minute)', '{"waiting":true,"expire":true}'],
  ]);
});
