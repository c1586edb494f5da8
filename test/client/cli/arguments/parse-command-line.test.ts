import { expect, test } from 'vitest';
import { commandTable } from '../../../../client/cli/arguments/command-table.ts';
import { helpOf } from '../../../../client/cli/arguments/help.ts';
import { parseCommandLine } from '../../../../client/cli/arguments/parse-command-line.ts';

test('a command has its operands and options, in any order', () => {
  expect(parseCommandLine(['upload', '-w', 'a.mp4', '--template=Web', 'b.mp4'])).toEqual({
    kind: 'command',
    command: 'upload',
    operands: ['a.mp4', 'b.mp4'],
    options: { wait: true, template: 'Web' },
  });
});

test('what follows -- is an operand', () => {
  expect(parseCommandLine(['upload', '--', '-w'])).toMatchObject({ operands: ['-w'], options: {} });
});

test('a command of two words is found before that of one word', () => {
  expect(parseCommandLine(['videos', 'get', 'U'])).toMatchObject({ command: 'videos get', operands: ['U'] });
  expect(parseCommandLine(['videos', '--json'])).toMatchObject({ command: 'videos', operands: [] });
});

test.each([
  [['uplaod'], "There is no command 'uplaod'. The commands are listed by: open-video-service --help"],
  [['constructor'], "There is no command 'constructor'."],
  [['upload'], 'FILE… is missing. See: open-video-service upload --help'],
  [['videos', 'gte'], "'gte' is one argument too many. See: open-video-service videos --help"],
  [['upload', 'a', '--fast'], "Unknown option '--fast'. See: open-video-service upload --help"],
  [['upload', 'a', '--template'], "Option '-t, --template <value>' argument missing. See:"],
  [['upload', 'a', '--wait=yes'], "Option '-w, --wait' does not take an argument. See:"],
])('%j is wrong usage', (argv, message) => {
  expect(() => parseCommandLine(argv)).toThrow(message);
  expect(() => parseCommandLine(argv)).toThrow(expect.objectContaining({ exitCode: 2 }));
});

test.each([[], ['help'], ['--help'], ['-h']])('%j asks for the help of the program', (...argv) => {
  expect(parseCommandLine(argv)).toEqual({ kind: 'help', command: undefined });
});

test('the help of the program names every command, and that of a command every option', () => {
  const program = helpOf(undefined);
  for (const [name, { options }] of Object.entries(commandTable)) {
    expect(program).toContain(`\n  ${name} `);
    const help = helpOf(parseCommandLine([...name.split(' '), '--help']).kind === 'help' ? (name as never) : undefined);
    for (const option of [...Object.keys(options), 'url', 'token-file', 'json']) expect(help).toContain(`--${option}`);
  }
});

test('the version is asked for', () => {
  expect(parseCommandLine(['--version'])).toEqual({ kind: 'version' });
});
