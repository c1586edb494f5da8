import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle, handlers } from '../../infra/build/bundle.ts';
import { repositoryRoot } from '../../infra/repository-root.ts';
import { tableAccessOf } from '../../infra/table-access.ts';
import { actionsOfCommand, commandsToStorages, impliedActions, uncalledCommands } from './actions.ts';
import { templateOf } from './synthesised.ts';

let folder: string;
let outputs: Metafile['outputs'];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'least-privilege-'));
  outputs = await bundle(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The modules of an entry after tree shaking. */
function modulesOf(entry: string): string[] {
  const output = Object.values(outputs).find(({ entryPoint }) => entryPoint === entry);
  if (!output) throw new Error(`${entry} is not bundled`);
  return Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
}

/** Commands whose classes are in the bundle, such as `s3/GetObject`. Each module of the SDK holds one command. */
function commandsOf(entry: string): string[] {
  const commands = modulesOf(entry).flatMap((path) => {
    const [, service, command] = /@aws-sdk\/client-([\w-]+)\/dist-es\/commands\/(\w+)Command\.js$/.exec(path) ?? [];
    if (service) return [`${service}/${command}`];
    return path.endsWith('/createPresignedPost.js') ? ['s3/presigned-post'] : [];
  });
  const elsewhere = commandsToStorages[basename(entry, '.lambda.ts')] ?? [];
  return commands.filter(
    (command) => !elsewhere.includes(command) && !uncalledCommands.some((known) => known.command === command),
  );
}

const actionsOf = (entry: string): Set<string> =>
  new Set(
    commandsOf(entry).flatMap((command) => {
      const actions = actionsOfCommand[command];
      if (!actions) throw new Error(`add the actions that ${command} needs to test/infra/actions.ts`);
      return actions;
    }),
  );

type Statement = {
  Action: string | string[];
  Resource: unknown;
  Condition?: { 'ForAllValues:StringLike'?: { 'dynamodb:LeadingKeys': string[] } };
};
type Policy = { Roles: { Ref: string }[]; PolicyDocument: { Statement: Statement[] } };
const template = templateOf('dev', { storeWebhook: true });
const policies = Object.values(template.findResources('AWS::IAM::Policy')).map(
  ({ Properties }) => Properties as Policy,
);
const roles = new Map(
  Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => [
    String(Properties.FunctionName).replace('video-service-dev-', ''),
    String(Properties.Role['Fn::GetAtt'][0]),
  ]),
);
const statementsOf = (role: string): Statement[] =>
  policies
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref === role))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
const grantedTo = (role: string): Set<string> => new Set(statementsOf(role).flatMap(({ Action }) => Action));

/** Lambda reads the stream with the role of the function. */
const streamActions = /^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)$/;

type ItemAccess = { read: Set<string>; write: Set<string>; indexes: Set<string> };

/** Partition keys and indexes of the table that the statements of a role allow. */
function grantedItems(role: string): ItemAccess {
  const granted: ItemAccess = { read: new Set(), write: new Set(), indexes: new Set() };
  for (const { Action, Resource, Condition } of statementsOf(role)) {
    const actions = [Action].flat().filter((action) => action.startsWith('dynamodb:') && !streamActions.test(action));
    if (actions.length === 0) continue;
    const indexes = [...JSON.stringify(Resource).matchAll(/\/index\/([^"]+)"/g)];
    const patterns = Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
    if (indexes.length > 0) {
      for (const [, name = ''] of indexes) granted.indexes.add(name);
      continue;
    }
    if (!patterns) throw new Error(`${role} may use every item of the table`);
    for (const pattern of patterns) {
      if (actions.includes('dynamodb:GetItem')) granted.read.add(pattern);
      if (actions.includes('dynamodb:PutItem')) granted.write.add(pattern);
    }
  }
  return granted;
}

/** The patterns for the items that its code reaches. What it writes it also reads, to recognise a repeated write. */
function reachedItems(handler: string): ItemAccess {
  const { read = [], write = [], indexes = [] } = tableAccessOf(handler) ?? {};
  const patternsOf = (prefixes: readonly string[]) =>
    new Set(prefixes.map((prefix) => (prefix.endsWith('#') ? `${prefix}*` : prefix)));
  return { read: patternsOf([...read, ...write]), write: patternsOf(write), indexes: new Set(indexes) };
}

const isImplied = (action: string, name: string, called: Set<string>): boolean =>
  impliedActions.some(
    (known) =>
      known.action.test(action) &&
      (known.function?.test(name) ?? true) &&
      (known.with === undefined || called.has(known.with)),
  );

describe.each(handlers)('%s', (handler) => {
  const name = basename(handler);
  const called = () => actionsOf(`functions/${handler}.lambda.ts`);

  test('has every permission that its code needs', () => {
    expect([...called().difference(grantedTo(roles.get(name)!))]).toEqual([]);
  });

  test('has no permission that its code does not need', () => {
    const beyond = grantedTo(roles.get(name)!).difference(called());
    expect([...beyond].filter((action) => !isImplied(action, name, called()))).toEqual([]);
  });

  test('may read and write the items that its code reaches, and no others', () => {
    const sorted = (items: ItemAccess) =>
      Object.fromEntries(Object.entries(items).map(([kind, values]) => [kind, [...values].toSorted()]));
    expect(sorted(grantedItems(roles.get(name)!))).toEqual(sorted(reachedItems(handler)));
  });
});

test('whatever fails a video that plays may end its playlists', () => {
  // The video that `create-video` refuses has not been processed.
  const ending = handlers
    .filter((handler) =>
      modulesOf(`functions/${handler}.lambda.ts`).includes('functions/early-playback/end-playback.ts'),
    )
    .map((handler) => basename(handler))
    .filter((name) => name !== 'create-video');
  expect(ending).toEqual(expect.arrayContaining(['fail', 'reconcile']));
  for (const name of ending) {
    const mayEnd = ['s3:GetObject', 's3:PutObject'].filter((action) =>
      statementsOf(roles.get(name)!).some(
        ({ Action, Resource }) =>
          [Action].flat().includes(action) && /\/videos\/\*(\.m3u8\*)?"/.test(JSON.stringify(Resource)),
      ),
    );
    expect(mayEnd, name).toEqual(['s3:GetObject', 's3:PutObject']);
  }
});

test('a worker contains no AWS client, and its role has no permissions', () => {
  expect(modulesOf('encoder-task/main.ts').filter((path) => path.includes('@aws-sdk/'))).toEqual([]);
  const task = Object.values(template.findResources('AWS::ECS::TaskDefinition'))[0]!;
  expect([...grantedTo(task.Properties.TaskRoleArn['Fn::GetAtt'][0])]).toEqual([]);
});

test('the early worker may write its log, and nothing else', () => {
  const granted = grantedTo(roles.get('early-worker')!);
  expect([...granted].toSorted()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
});

test('our code does not call the commands that are listed as uncalled', async () => {
  const own = new Set(handlers.flatMap((name) => modulesOf(`functions/${name}.lambda.ts`)));
  const files = [...own].filter((path) => /^(functions|shared)\/.*\.ts$/.test(path));
  const sources = await Promise.all(files.map((path) => readFile(join(repositoryRoot, path), 'utf8')));
  for (const { command } of uncalledCommands) {
    const word = command.split('/')[1]!;
    const named = new RegExp(`\\b(${word}Command|paginate${word})\\b`);
    expect(files.filter((_, index) => named.test(sources[index]!))).toEqual([]);
  }
});

test('every listed command and every listed extra action is in use', () => {
  const commands = new Set(handlers.flatMap((name) => commandsOf(`functions/${name}.lambda.ts`)));
  expect([...commands].toSorted()).toEqual(Object.keys(actionsOfCommand).toSorted());
  const granted = [...roles].flatMap(([name, role]) => [...grantedTo(role)].map((action) => ({ name, action })));
  for (const known of impliedActions) {
    const using = granted.filter(
      ({ name, action }) => known.action.test(action) && (known.function?.test(name) ?? true),
    );
    expect(using, String(known.action)).not.toEqual([]);
  }
});
