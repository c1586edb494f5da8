import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../infra/build/bundle.ts';
import { handlers } from '../../infra/constructs/handlers.ts';
import { actionsOfCommand, impliedActions, uncalledCommands } from './actions.ts';
import { templateOf } from './synthesised.ts';

const repositoryRoot = join(import.meta.dirname, '../..');

let folder: string;
let outputs: Metafile['outputs'];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'least-privilege-'));
  outputs = await bundle(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is left of the modules of an entry after tree shaking. */
function modulesOf(entry: string): string[] {
  const output = Object.values(outputs).find(({ entryPoint }) => entryPoint === entry);
  if (!output) throw new Error(`no bundle is made of ${entry}`);
  return Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
}

/** `s3/GetObject`: commands whose classes are in the bundle. A module of the SDK holds one command, and is there when something that is left uses it. */
function commandsOf(entry: string): string[] {
  const commands = modulesOf(entry).flatMap((path) => {
    const [, service, command] = /@aws-sdk\/client-([\w-]+)\/dist-es\/commands\/(\w+)Command\.js$/.exec(path) ?? [];
    if (service) return [`${service}/${command}`];
    return path.endsWith('/createPresignedPost.js') ? ['s3/presigned-post'] : [];
  });
  return commands.filter((command) => !uncalledCommands.some((known) => known.command === command));
}

const actionsOf = (entry: string): Set<string> =>
  new Set(
    commandsOf(entry).flatMap((command) => {
      const actions = actionsOfCommand[command];
      if (!actions) throw new Error(`say in test/infra/actions.ts which actions ${command} needs`);
      return actions;
    }),
  );

type Policy = { Roles: { Ref: string }[]; PolicyDocument: { Statement: { Action: string | string[] }[] } };
const template = templateOf('dev');
const policies = Object.values(template.findResources('AWS::IAM::Policy')).map(
  ({ Properties }) => Properties as Policy,
);
const roles = new Map(
  Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => [
    String(Properties.FunctionName).replace('video-service-dev-', ''),
    String(Properties.Role['Fn::GetAtt'][0]),
  ]),
);
const grantedTo = (role: string): Set<string> =>
  new Set(
    policies
      .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement.flatMap(({ Action }) => Action)),
  );

const isImplied = (action: string, name: string, called: Set<string>): boolean =>
  impliedActions.some(
    (known) =>
      known.action.test(action) &&
      (known.function?.test(name) ?? true) &&
      (known.with === undefined || called.has(known.with)),
  );

describe.each(handlers)('%s', (handler) => {
  const name = basename(handler);
  const called = () => actionsOf(`functions/${handler}.ts`);

  test('is granted every action that its code can call', () => {
    expect([...called().difference(grantedTo(roles.get(name)!))]).toEqual([]);
  });

  test('is granted none that its code cannot call', () => {
    const beyond = grantedTo(roles.get(name)!).difference(called());
    expect([...beyond].filter((action) => !isImplied(action, name, called()))).toEqual([]);
  });
});

test('a worker has no client of AWS, and its role no action', () => {
  expect(modulesOf('encoder-task/main.ts').filter((path) => path.includes('@aws-sdk/'))).toEqual([]);
  const task = Object.values(template.findResources('AWS::ECS::TaskDefinition'))[0]!;
  expect([...grantedTo(task.Properties.TaskRoleArn['Fn::GetAtt'][0])]).toEqual([]);
});

test('no code of ours names a command that is said to be uncalled', async () => {
  const own = new Set(handlers.flatMap((name) => modulesOf(`functions/${name}.ts`)));
  const files = [...own].filter((path) => /^(functions|shared)\/.*\.ts$/.test(path));
  const sources = await Promise.all(files.map((path) => readFile(join(repositoryRoot, path), 'utf8')));
  for (const { command } of uncalledCommands) {
    const word = command.split('/')[1]!;
    const named = new RegExp(`\\b(${word}Command|paginate${word})\\b`);
    expect(files.filter((_, index) => named.test(sources[index]!))).toEqual([]);
  }
});

test('every command, and every action that is granted without one, is in use', () => {
  const commands = new Set(handlers.flatMap((name) => commandsOf(`functions/${name}.ts`)));
  expect([...commands].toSorted()).toEqual(Object.keys(actionsOfCommand).toSorted());
  const granted = [...roles].flatMap(([name, role]) => [...grantedTo(role)].map((action) => ({ name, action })));
  for (const known of impliedActions) {
    const using = granted.filter(
      ({ name, action }) => known.action.test(action) && (known.function?.test(name) ?? true),
    );
    expect(using, String(known.action)).not.toEqual([]);
  }
});
