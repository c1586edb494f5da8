import { access, chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startEngine } from '../../../encoder-task/speech/engine.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'program-engine-'));
});
afterAll(() => rm(root, { recursive: true }));

// The program of the tests runs in Node, which reserves memory.
const usual = { windowSeconds: 60, stallSeconds: 60, memoryBytes: 2 * 2 ** 30, diskBytes: 1e6 };
const samples = new Int16Array(1600);
const hallo = [{ text: ' Hallo', offsets: { from: 0, to: 500 } }];
const heard = { language: 'de', tokens: [{ text: ' Hallo', startMs: 0, endMs: 500 }] };

/** A program with the arguments of whisper-cli. `behaviour` is the body of a function. */
async function start(behaviour: string, limits: Partial<typeof usual> = {}, signal?: AbortSignal) {
  const folder = await mkdtemp(join(root, 'job-'));
  const engineFile = join(folder, 'whisper-cli');
  const program = `#!${process.execPath}
    const fs = require('node:fs');
    const args = process.argv.slice(2);
    const option = (name) => args[args.indexOf(name) + 1];
    const write = (text) => fs.writeFileSync(option('--output-file') + '.json', text);
    const say = (transcription, language = 'de') => write(JSON.stringify({ result: { language }, transcription }));
    const isFirst = !fs.existsSync(__filename + '.heard');
    fs.writeFileSync(__filename + '.heard', '');
    const hallo = ${JSON.stringify(hallo)};
    (async () => { ${behaviour} })();`;
  await writeFile(engineFile, program);
  await chmod(engineFile, 0o755);
  const engine = await startEngine(
    { engineFile, modelFile: '/models/base.bin' },
    {
      folder,
      limits: { ...usual, ...limits },
      signal: signal ?? new AbortController().signal,
      // The lowest takes minutes on a busy machine.
      priority: 'normal',
    },
  );
  return { engine, folder };
}

/** Does something for the first window only. */
const once = (first: string) => `if (isFirst) { ${first} } else say(hallo);`;

test('the program gets the model, the language and the sound of a window, and no secret of the environment', async () => {
  process.env.WORKER_TOKEN = 'secret';
  try {
    const { engine, folder } = await start(`
      const text = [option('--model'), option('--language'), Object.keys(process.env).sort().join()].join(' ');
      say([{ text, offsets: { from: 10, to: 20 } }], 'fr');`);
    const reply = await engine.hear(Int16Array.from([1, -2, 300]), null);
    expect(reply).toEqual({
      language: 'fr',
      tokens: [{ text: '/models/base.bin auto GGML_NO_BACKTRACE,PATH', startMs: 10, endMs: 20 }],
    });
    const sound = await readFile(join(folder, 'window.wav'));
    expect(sound.toString('latin1', 0, 16)).toBe(`RIFF${String.fromCharCode(42)}\0\0\0WAVEfmt `);
    expect([sound.readUInt32LE(24), sound.readUInt16LE(22), sound.readUInt16LE(34)]).toEqual([16_000, 1, 16]);
    expect([44, 46, 48].map((at) => sound.readInt16LE(at))).toEqual([1, -2, 300]);
    expect((await engine.hear(samples, 'pt'))!.tokens[0]!.text).toMatch(/^\S+ pt /);
  } finally {
    delete process.env.WORKER_TOKEN;
  }
});

test.each<[string, string, { code: string; fatal?: boolean }]>([
  ['cannot load the model', 'process.exit(3);', { code: 'MODEL_UNUSABLE', fatal: true }],
  [
    'has no memory for the model',
    `process.stderr.write('ggml_aligned_malloc: insufficient memory', () => process.exit(3));`,
    { code: 'MEMORY_LIMIT' },
  ],
  ['aborts without memory', `process.stderr.write('std::bad_alloc', () => process.abort());`, { code: 'MEMORY_LIMIT' }],
  ['is killed by the system', `process.kill(process.pid, 'SIGKILL');`, { code: 'MEMORY_LIMIT' }],
  ['crashes', `process.kill(process.pid, 'SIGSEGV');`, { code: 'ENCODER_FAILED' }],
  ['fails', `process.stderr.write('a secret', () => process.exit(10));`, { code: 'ENCODER_FAILED', fatal: false }],
  ['writes nothing', '', { code: 'ENCODER_FAILED' }],
  ['writes half of its result', `write('{"result": {"language": "de"}, "transc');`, { code: 'ENCODER_FAILED' }],
  ['writes another result', `write('{"result": {}, "transcription": []}');`, { code: 'ENCODER_FAILED' }],
])('a program that %s fails the window, and goes on with the next one', async (_, first, failure) => {
  const { engine } = await start(once(first));
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject({
    ...failure,
    message: expect.not.stringContaining('secret'),
  });
  expect(await engine.hear(samples, 'de')).toEqual(heard);
});

test('a program that fills the disk is ended, and its result is not read', async () => {
  const { engine, folder } = await start(
    once(`
      const file = fs.openSync('window.json', 'w');
      for (let at = 0; at < 100; at++) fs.writeSync(file, Buffer.alloc(2 ** 20, ' '));`),
    { diskBytes: 1e9 },
  );
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject({ code: 'ENCODER_FAILED' });
  expect((await stat(join(folder, 'window.json'))).size).toBe(2 ** 26);
  expect(await engine.hear(samples, 'de')).toEqual(heard);
});

test('a program that was removed, or may not be executed, could not be started', async () => {
  const { engine, folder } = await start('say(hallo);');
  const program = join(folder, 'whisper-cli');
  const failure = { code: 'INTERNAL', message: 'whisper-cli could not be started' };
  await writeFile(program, '#!/no/such/interpreter');
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject(failure);
  await rm(program);
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject(failure);
});

test('a result of the window before is not taken for that of a window without one', async () => {
  const { engine } = await start('if (isFirst) say(hallo);');
  expect(await engine.hear(samples, 'de')).toEqual(heard);
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject({ code: 'ENCODER_FAILED' });
});

test.each<[string, string, Partial<typeof usual>]>([
  ['needs too much processor time', 'for (;;);', { windowSeconds: 1 }],
  ['hangs', 'setTimeout(() => {}, 1e8);', { stallSeconds: 5 }],
])('a program that %s is ended, and goes on with the next window', async (_, first, limits) => {
  const { engine } = await start(once(first), limits);
  expect(await engine.hear(samples, 'de')).toBeUndefined();
  expect(await engine.hear(samples, 'de')).toEqual(heard);
});

test('characters that are divided between tokens are whole, and control characters are spaces', async () => {
  const { engine } = await start(`
    const token = (text, from, to) => Buffer.concat([
      Buffer.from('{"text": "'), text, Buffer.from('", "offsets": {"from": ' + from + ', "to": ' + to + '}}')]);
    const tea = Buffer.from('茶');
    write(Buffer.concat([
      Buffer.from('{"result": {"language": "ja"},\\n\\t"transcription": ['), token(Buffer.from(' a\\n"'.replace('"', '')), 0, 10),
      Buffer.from(','), token(tea.subarray(0, 2), 10, 20), Buffer.from(','), token(tea.subarray(2), 20, 30), Buffer.from(']}')]));`);
  expect((await engine.hear(samples, 'ja'))!.tokens).toEqual([
    { text: ' a ', startMs: 0, endMs: 10 },
    { text: '茶', startMs: 10, endMs: 30 },
  ]);
});

test('endless text is cut off, and what the program prints is not kept', async () => {
  const { engine } = await start(
    `
    for (let line = 0; line < 2000; line++) { console.log('x'.repeat(1000)); console.error('y'.repeat(1000)); }
    say(Array.from({ length: 5000 }, () => ({ text: 'a'.repeat(500), offsets: { from: 0, to: 10 } })));`,
    { diskBytes: 1e8 },
  );
  const { tokens } = (await engine.hear(samples, 'de'))!;
  expect(tokens).toHaveLength(2000);
  expect(Math.max(...tokens.map(({ text }) => text.length))).toBe(200);
});

test.each<[string, (folder: string) => Promise<unknown>]>([
  ['before the program has started', async () => {}],
  ['while the program runs', (folder) => vi.waitFor(() => access(join(folder, 'whisper-cli.heard')), 60_000)],
])('a job that is cancelled %s ends with the reason, and its program at once', async (_, started) => {
  const abort = new AbortController();
  const { engine, folder } = await start('for (;;);', {}, abort.signal);
  const pending = expect(engine.hear(samples, 'de')).rejects.toThrow('the job was cancelled');
  await started(folder);
  abort.abort(new Error('the job was cancelled'));
  await pending;
  await expect(engine.hear(samples, 'de')).rejects.toThrow('the job was cancelled');
  expect(await engine.close()).toBeLessThan(30);
});

test('the processor time of all windows is counted', async () => {
  const { engine } = await start(`
    while (process.cpuUsage().user < 5e5);
    say(hallo);`);
  await engine.hear(samples, 'de');
  const first = await engine.close();
  expect(first).toBeGreaterThan(0.2);
  await engine.hear(samples, 'de');
  expect(await engine.close()).toBeGreaterThan(first + 0.2);
});

/** A program that another one runs, such as a script that starts whisper-cli. */
const beside = (code: string) =>
  `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(code)}], { stdio: 'inherit' }).unref();`;
const endless = `require('node:fs').writeFileSync('beside', String(process.pid)); setTimeout(() => {}, 1e8);`;

test.each<[string, string, Partial<typeof usual>]>([
  ['hangs with one that it has started', 'setTimeout(() => {}, 1e8);', { stallSeconds: 5 }],
  ['has ended, and one that it has started has not,', `say(hallo);`, {}],
])('a program that %s leaves none of them', async (_, rest, limits) => {
  const { engine, folder } = await start(
    `${beside(endless)}
    while (!fs.existsSync('beside')) await new Promise((resolve) => setTimeout(resolve, 10));
    ${rest}`,
    limits,
  );
  expect(await engine.hear(samples, 'de')).toEqual(rest.startsWith('say') ? heard : undefined);
  const pid = Number(await readFile(join(folder, 'beside'), 'utf8'));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 60_000);
});
