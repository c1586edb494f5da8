import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const program = join(import.meta.dirname, '../../tools/dead-letters.ts');

/** A fake AWS CLI: answers from `queues.json` and records each call with its input. */
const cli = `#!${process.execPath}
const fs = require('node:fs');
const [service, operation, ...args] = process.argv.slice(2);
const given = (option) => args[args.indexOf(option) + 1];
const read = (option) => JSON.parse(fs.readFileSync(given(option).replace(/^fileb?:\\/\\//, ''), 'utf8'));
if (operation === 'invoke' && args.includes('--cli-input-json')) process.exit(252);
const input = operation === 'invoke' ? { FunctionName: given('--function-name'), Payload: read('--payload') } : read('--cli-input-json');
const at = (name) => __dirname + '/' + name;
fs.appendFileSync(at('calls.jsonl'), JSON.stringify({ operation, input }) + '\\n');
const queues = JSON.parse(fs.readFileSync(at('queues.json'), 'utf8'));
if (operation === 'describe-stacks') {
  const outputs = { DeadLettersUrl: 'dead', UncountedUrl: 'uncounted', StateMachineArn: 'machine', CountAccessesFunctionName: 'count' };
  const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  console.log(JSON.stringify({ Stacks: [{ Outputs }] }));
}
if (operation === 'receive-message' && queues[input.QueueUrl].length > 0) {
  console.log(JSON.stringify({ Messages: queues[input.QueueUrl].splice(0, 2) }));
  fs.writeFileSync(at('queues.json'), JSON.stringify(queues));
}
if (operation === 'start-execution' && input.input.includes('refused')) process.exit(254);
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dead-letters-'));
  await writeFile(join(folder, 'aws'), cli);
  await chmod(join(folder, 'aws'), 0o755);
});
afterEach(() => rm(folder, { recursive: true }));

const message = (body: object, n = 1) => ({ Body: JSON.stringify(body), ReceiptHandle: `handle-${n}` });
const run = async (queues: object) => {
  await writeFile(join(folder, 'queues.json'), JSON.stringify(queues));
  return promisify(execFile)(process.execPath, [program, 'prod'], { env: { PATH: folder } });
};
const calls = async (): Promise<{ operation: string; input: Record<string, unknown> }[]> =>
  (await readFile(join(folder, 'calls.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const upload = (key: string) => ({ detail: { object: { key } } });

test('each upload starts the pipeline with its event and is then removed from the queue', async () => {
  const dead = [1, 2, 3].map((n) => message(upload(`uploads/${n}`), n));
  const { stdout } = await run({ dead, uncounted: [] });
  expect(stdout).toBe('3 uploads started, 0 access logs to be counted.\n');
  const made = (await calls()).filter(({ operation }) => /start|delete/.test(operation));
  expect(made.map(({ operation, input }) => [operation, input.input ?? input.ReceiptHandle])).toEqual(
    [1, 2, 3].flatMap((n) => [
      ['start-execution', JSON.stringify(upload(`uploads/${n}`))],
      ['delete-message', `handle-${n}`],
    ]),
  );
});

test('access logs are counted again, from dead letters of EventBridge and of Lambda', async () => {
  const event = upload('logs/access/n/1.jsonl.gz');
  await run({ dead: [], uncounted: [message(event, 1), message({ requestPayload: event }, 2)] });
  const invoked = (await calls()).filter(({ operation }) => operation === 'invoke');
  expect(invoked.map(({ input }) => [input.FunctionName, input.Payload])).toEqual([
    ['count', event],
    ['count', event],
  ]);
});

test('a message that cannot be redelivered stays in the queue', async () => {
  await expect(run({ dead: [message(upload('uploads/refused'))], uncounted: [] })).rejects.toThrow(
    'aws stepfunctions start-execution exited with code 254',
  );
  expect((await calls()).filter(({ operation }) => operation === 'delete-message')).toEqual([]);
});
