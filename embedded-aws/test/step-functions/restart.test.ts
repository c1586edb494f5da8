import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromCheckedLine } from '../../src/durable/checked-line.ts';
import type { Line } from '../../src/step-functions/execution/journal-line.ts';
import type { StepFunctions } from '../../src/step-functions/step-functions.ts';
import { endOf, type Functions, open, start, temporaryFolder, until } from './fixture.ts';
import { expectedOutput, pipeline, pipelineFunctions } from './pipeline.ts';

/** A clock that never returns the same millisecond twice, so that lines of different journals can be ordered. */
function countingClock() {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now());
    return last;
  };
}

/** Sends a result for every token, a little later, as a worker does. */
function worker(
  taken: string[],
  now?: StepFunctions,
): { functions: Functions; answer: (states: StepFunctions) => void } {
  let states = now;
  return {
    answer: (opened) => {
      states = opened;
    },
    functions: {
      ...pipelineFunctions,
      enqueue: ({ token, input }: { token: string; input: { n: number } }) => {
        taken.push(token);
        setTimeout(() => void answerToken(states, token, input.n), 1);
      },
    },
  };
}

async function answerToken(states: StepFunctions | undefined, taskToken: string, n: number): Promise<void> {
  const output = JSON.stringify({ frames: n * 10 });
  // A job may be completed twice; the second call is rejected.
  await states?.call('SendTaskSuccess', { taskToken, output }).catch((error) => {
    if (error.name !== 'TaskTimedOut' && error.message !== 'Step Functions is closed') throw error;
  });
}

async function linesIn(folder: string): Promise<{ file: string; line: Line; text: string }[]> {
  const lines = [];
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.jsonl') || file.endsWith('.inputs.jsonl')) continue;
    for (const text of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      if (text !== '') lines.push({ file, line: fromCheckedLine<Line>(Buffer.from(text))!.value, text });
    }
  }
  return lines.sort((one, other) => one.line.atMs - other.line.atMs);
}

/** A copy of the folder with the first `count` lines and half of the next one. */
async function cutFolder(
  whole: string,
  id: string,
  lines: Awaited<ReturnType<typeof linesIn>>,
  count: number,
): Promise<string> {
  const folder = await temporaryFolder();
  await cp(whole, folder, { recursive: true });
  await writeFile(join(folder, 'finished.jsonl'), '');
  const running = join(folder, 'running', id);
  await rename(join(folder, 'finished', id), running);
  const contents = new Map(lines.map(({ file }) => [file, '']));
  for (const { file, text } of lines.slice(0, count)) contents.set(file, `${contents.get(file)}${text}\n`);
  const next = lines[count];
  if (next) contents.set(next.file, `${contents.get(next.file)}${next.text.slice(0, next.text.length / 2)}`);
  for (const [file, content] of contents) await writeFile(join(running, file), content);
  return folder;
}

test('after a truncation of its journals anywhere an execution ends as before, and no waiting job is queued again', async () => {
  const whole = await temporaryFolder();
  const taken: string[] = [];
  const first = worker(taken);
  const states = await open({
    folder: whole,
    definition: pipeline,
    functions: first.functions,
    now: countingClock(),
    random: () => 0,
  });
  first.answer(states);
  const arn = await start(states, { items: [1, 2, 3] });
  expect(await endOf(states, arn)).toEqual({ status: 'SUCCEEDED', output: expectedOutput });
  await states.close();
  const [id = ''] = await readdir(join(whole, 'finished'));
  const lines = await linesIn(join(whole, 'finished', id));
  expect(lines.length).toBeGreaterThan(80);

  for (let count = 1; count < lines.length; count++) {
    const known = lines.slice(0, count).map(({ line }) => line);
    const folder = await cutFolder(whole, id, lines, count);
    const takenAgain: string[] = [];
    const second = worker(takenAgain);
    const reopened = await open({
      folder,
      definition: pipeline,
      functions: second.functions,
      now: countingClock(),
      random: () => 0,
    });
    second.answer(reopened);
    const submitted = known.filter(({ type }) => type === 'TaskSubmitted').length;
    const tokens = known.flatMap(({ facts }) => (facts?.token as string) ?? []);
    const waiting = submittedTokens(known);
    expect(waiting).toHaveLength(submitted);
    // The worker still has its earlier jobs.
    for (const token of tokens) await answerToken(reopened, token, inputOf(known, token));
    expect(await endOf(reopened, arn), `cut after line ${count}`).toEqual({
      status: 'SUCCEEDED',
      output: expectedOutput,
    });
    expect(takenAgain.filter((token) => waiting.includes(token))).toEqual([]);
    await reopened.close();
  }
});

function submittedTokens(lines: Line[]): string[] {
  const latest = new Map<string, string>();
  return lines.flatMap(({ type, child, path, facts }) => {
    const place = `${child}/${path}`;
    if (type === 'TaskScheduled') latest.set(place, (facts?.token as string) ?? '');
    return type === 'TaskSubmitted' ? [latest.get(place) ?? ''] : [];
  });
}

function inputOf(lines: Line[], token: string): number {
  const scheduled = lines.find(({ facts }) => facts?.token === token);
  const parameters = scheduled?.details?.parameters as { Payload: { input: { n: number } } } | undefined;
  return parameters?.Payload.input.n ?? Number.NaN;
}

test('an execution survives any number of kills', async () => {
  const folder = await temporaryFolder();
  const program = join(import.meta.dirname, 'killed.ts');
  let kills = 0;
  for (let lifeMs = 150; ; lifeMs += 25) {
    const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
      // Counted from the time at which the executions continue.
      if (printed.startsWith('open\n')) setTimeout(() => child.kill('SIGKILL'), lifeMs);
    });
    const [code] = await once(child, 'exit');
    if (code === null) {
      kills++;
      continue;
    }
    expect([code, printed]).toEqual([0, `open\n${JSON.stringify({ status: 'SUCCEEDED', output: expectedOutput })}\n`]);
    break;
  }
  expect(kills).toBeGreaterThan(0);
});

test('an execution continues with the definition that it was started with', async () => {
  const folder = await temporaryFolder();
  const tokens: string[] = [];
  const waitThen = (output: string) => ({
    StartAt: 'Wait',
    States: {
      Wait: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
        Arguments: { FunctionName: 'f', Payload: '{% $states.context.Task.Token %}' },
        Next: 'Say',
      },
      Say: { Type: 'Pass', Output: `{% '${output}' %}`, End: true },
    },
  });
  const functions = { f: (token: string) => void tokens.push(token) };
  const old = await open({ folder, definition: waitThen('old'), functions });
  const arn = await start(old);
  await until(() => tokens[0]);
  await old.close();

  const renewed = await open({ folder, definition: waitThen('new'), functions });
  await renewed.call('SendTaskSuccess', { taskToken: tokens[0], output: '1' });
  expect(await endOf(renewed, arn)).toEqual({ status: 'SUCCEEDED', output: 'old' });
  const next = await start(renewed);
  await renewed.call('SendTaskSuccess', { taskToken: await until(() => tokens[1]), output: '1' });
  expect((await endOf(renewed, next)).output).toBe('new');
});

test('ended executions are kept after a restart, also after a kill before their summary was written', async () => {
  const folder = await temporaryFolder();
  const definition = { StartAt: 'P', States: { P: { Type: 'Pass', End: true } } };
  const states = await open({ folder, definition });
  const arns = [await start(states, 1, 'one'), await start(states, 2, 'two')];
  for (const arn of arns) await endOf(states, arn);
  await states.close();
  const listed = await readFile(join(folder, 'finished.jsonl'), 'utf8');
  await writeFile(join(folder, 'finished.jsonl'), `${listed.split('\n')[0]}\n{"id":"torn`);

  const reopened = await open({ folder, definition });
  expect(await Promise.all(arns.map((arn) => endOf(reopened, arn)))).toEqual([
    { status: 'SUCCEEDED', output: 1 },
    { status: 'SUCCEEDED', output: 2 },
  ]);
  await expect(start(reopened, 1, 'one')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
});

test('a journal that cannot be read is moved away and reported; the others continue', async () => {
  const folder = await temporaryFolder();
  const definition = { StartAt: 'P', States: { P: { Type: 'Pass', End: true } } };
  await mkdir(join(folder, 'running', 'broken'), { recursive: true });
  await writeFile(join(folder, 'running', 'broken', 'execution.jsonl'), 'no JSON\n{}\n');
  await mkdir(join(folder, 'running', 'empty'));
  const reports: unknown[] = [];
  const states = await open({ folder, definition, onError: (error) => reports.push(error) });
  expect(String(reports)).toContain(join(folder, 'damaged', 'broken'));
  expect(await readdir(join(folder, 'running'))).toEqual([]);
  expect(await endOf(states, await start(states, 1))).toEqual({ status: 'SUCCEEDED', output: 1 });
});

test('an ended execution whose journal is damaged is known to have ended, and the path is reported', async () => {
  const folder = await temporaryFolder();
  const definition = { StartAt: 'P', States: { P: { Type: 'Pass', End: true } } };
  const states = await open({ folder, definition });
  const arn = await start(states, 1, 'one');
  const ended = await endOf(states, arn);
  await states.close();
  const [id = ''] = await readdir(join(folder, 'finished'));
  const journal = join(folder, 'finished', id, 'execution.jsonl');
  await writeFile(journal, (await readFile(journal, 'utf8')).replace('"one"', '"two"'));

  const reports: Error[] = [];
  const reopened = await open({ folder, definition, onError: (error) => reports.push(error as Error) });
  const { status } = ended;
  const view = await reopened.call('DescribeExecution', { executionArn: arn });
  expect(view).toMatchObject({ name: 'one', status, stopDate: expect.any(Date), inputDetails: { included: false } });
  expect(view).not.toHaveProperty('input');
  expect(reports.map(({ message }) => message)).toEqual([`${journal} has a damaged line.`]);
  expect(await reopened.call('StopExecution', { executionArn: arn })).toEqual({ stopDate: expect.any(Date) });
  await expect(reopened.call('GetExecutionHistory', { executionArn: arn })).rejects.toThrow('has a damaged line.');
});
