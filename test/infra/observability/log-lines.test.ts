import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { handlers } from '../../../infra/build/bundle.ts';
import { repositoryRoot } from '../../../infra/repository-root.ts';
import { ownCode } from '../../../tools/table-access/generate.ts';
import { templateOf } from '../synthesised.ts';

// What dashboards and runbook name but no code writes is found by an operator in an incident, as an empty table.

const template = templateOf('prod');
const page = (name: string) => readFileSync(join(repositoryRoot, 'docs', name), 'utf8');

/** Names of functions, with the code that they contain. */
const codeOf = new Map<string, string>();
beforeAll(async () => {
  for (const [handler, code] of await ownCode(handlers)) codeOf.set(basename(handler), code);
});
const writers = (line: string) => [...codeOf].filter(([, code]) => code.includes(`"${line}"`)).map(([name]) => name);

const groups = Object.values(template.findResources('AWS::Logs::LogGroup')).map(({ Properties }) =>
  String(Properties.LogGroupName),
);
const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard')).map(({ Properties }) =>
  JSON.stringify(Properties.DashboardBody),
);

test('a table of the dashboard queries exactly the logs of the functions that write its line', () => {
  const queries = [...dashboard!.matchAll(/SOURCE '.*?limit \d+/g)].map(([query]) => query);
  expect(queries).toHaveLength(1);
  for (const query of queries) {
    const [, line = ''] = /message = '([^']+)'/.exec(query)!;
    const queried = [...query.matchAll(/SOURCE '([^']+)'/g)].map(([, name]) => name!);
    expect(writers(line)).not.toEqual([]);
    expect(queried.toSorted()).toEqual(
      writers(line)
        .map((name) => `/aws/lambda/video-service-prod-${name}`)
        .toSorted(),
    );
  }
});

test('the log lines of the runbook are written by the functions that it names', () => {
  // such as: The log line `reaped` of `reap`, `plan` or `enqueue`
  const named = page('runbook.md')
    .replaceAll(/\s+/g, ' ')
    .matchAll(/(?:log line|the line) `([^`]+)` of ((?:`[\w-]+`(?:, | or | and )?)+)/g);
  const lines = [...named].map(([, line, names]) => [
    line!,
    [...names!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!),
  ]);
  expect(lines.length).toBeGreaterThan(3);
  for (const [line, names] of lines)
    expect([line, writers(line as string)]).toEqual([line, expect.arrayContaining(names as string[])]);
});

test('the log groups of the docs exist', () => {
  const pages = ['runbook.md', 'first-day.md', 'recovery.md', 'deployment.md'].map(page).join('');
  const named = pages.matchAll(/(?:log group `|(?=\/aws\/lambda\/))(\/[\w/<>$-]+\w)(?!\*)\b/g);
  const names = [...named].map(([, name]) => name!.replace(/<stage>|\$STAGE/, 'prod'));
  expect(names.length).toBeGreaterThan(2);
  for (const name of names.filter((one) => !one.endsWith('video-service-prod'))) expect(groups).toContain(name);
});

test('the metrics of the runbook are emitted', () => {
  const [, table = ''] = page('runbook.md').split('| metric | unit |');
  const named = table.split('###')[0]!.matchAll(/^\| (`.+?`) \|/gm);
  const names = [...named].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect([name, writers(name)]).not.toEqual([name, []]);
});
