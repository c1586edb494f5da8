import { describe, expect, test } from 'vitest';
import { causeText, JobError } from '../../../shared/protocol/job-errors.ts';

describe('the error as the uploader sees it', () => {
  const again = 'The service failed to process this video. It can be processed again.';

  test.each([
    [
      "of the input, the worker's words",
      { Error: 'Job.Fatal', Cause: 'INPUT_EMPTY: The file is empty.' },
      'INPUT_EMPTY: The file is empty.',
    ],
    [
      "of the input, a function's words",
      { Error: 'Job.Fatal', Cause: '{"errorType":"Job.Fatal","errorMessage":"INPUT_TOO_LARGE: Too long."}' },
      'INPUT_TOO_LARGE: Too long.',
    ],
    [
      'of the store, no words but what can be done',
      { Error: 'Job.Transient', Cause: 'STORE_FAILED: 10.0.0.7 refused' },
      `STORE_FAILED: ${again}`,
    ],
    [
      'of a function that broke',
      { Error: 'TypeError', Cause: '{"errorMessage":"x of undefined","trace":["/var/task"]}' },
      `INTERNAL: ${again}`,
    ],
    [
      'of workers that were lost',
      { Error: 'Worker.Lost', Cause: 'w1 held attempt 3 and stopped calling' },
      `INTERNAL: ${again}`,
    ],
    ['of an error without words', {}, `INTERNAL: ${again}`],
  ])('%s', (_, error, text) => {
    expect(causeText(error)).toBe(text);
  });

  const force = /^OUTPUT_MISMATCH: .* Process it again with "force": true/;
  const mismatch = 'OUTPUT_MISMATCH: the chunks of v differ';

  test('finished parts that do not fit together: process again with force', () => {
    expect(causeText({ Error: 'Job.Transient', Cause: JSON.stringify({ errorMessage: mismatch }) })).toMatch(force);
    expect(causeText({ Error: 'Job.Transient', Cause: mismatch }, { ofFinishedParts: true })).toMatch(force);
  });

  test('a retried job or an unavailable store: force is not mentioned', () => {
    expect(causeText({ Error: 'Job.Transient', Cause: mismatch })).toBe(`OUTPUT_MISMATCH: ${again}`);
    const away = { Error: 'Job.Transient', Cause: 'STORE_FAILED: 503' };
    expect(causeText(away, { ofFinishedParts: true })).toBe(`STORE_FAILED: ${again}`);
  });

  test('results that cannot be stored: processing again does not help', () => {
    const text = causeText({ Error: 'Job.Fatal', Cause: 'RESULT_REFUSED: The result could not be stored.' });
    expect(text).toMatch(/^RESULT_REFUSED: .* does not help/);
  });

  test('a time limit: what to try', () => {
    expect(causeText({ Error: 'States.Timeout' })).toMatch(/^TIME_LIMIT: The work took longer .* Try /);
  });
});

test('errors of the input are fatal, others are not', () => {
  expect(new JobError('INPUT_NOT_MEDIA', 'x').fatal).toBe(true);
  expect(new JobError('STORE_FAILED', 'x').fatal).toBe(false);
});
