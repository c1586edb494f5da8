import { expect, test } from 'vitest';
import { templateOf } from '../synthesised.ts';

test('only the functions that queue jobs wake idle workers on one machine', () => {
  const functions = Object.values(templateOf('local').findResources('AWS::Lambda::Function'));
  const waking = functions.filter(({ Metadata }) => Metadata?.['embedded-aws:wakes-tasks'] === true);
  expect(waking.map(({ Properties }) => Properties.FunctionName)).toEqual([
    'video-service-local-enqueue',
    'video-service-local-continue-ingests',
    'video-service-local-continue-transcriptions',
    'video-service-local-continue-storage-deliveries',
  ]);
});
