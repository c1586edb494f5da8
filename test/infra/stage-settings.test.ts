import { expect, test } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import { formatStageSettings } from '../../infra/stage-settings.ts';
import type { StageSettings } from '../../shared/stage-settings.ts';
import { templateOf } from './synthesised.ts';

const published = (stage: string, overrides?: object): StageSettings =>
  JSON.parse(formatStageSettings(settingsOf(stage, overrides)));

test('every setting has its name in cdk.json, and those that differ from the stage have their default', () => {
  const { values, defaults } = published('prod', { registration: true, workers: { maxTasks: 7 } });
  expect(values).toMatchObject({
    registration: true,
    keepData: true,
    allowedOrigins: [],
    alarmEmail: null,
    'workers.maxTasks': 7,
    'nodes.allowLoopback': false,
  });
  expect(defaults).toEqual({ registration: false, 'workers.maxTasks': 100 });
  expect(published('prod').defaults).toEqual({});
});

test('a stage of another name has the defaults of dev', () => {
  expect(published('staging', { keepData: true }).defaults).toEqual({ keepData: false });
});

test('a domain is its name, and no ARN is published', () => {
  const arn = 'arn:aws:acm:us-east-1:123456789012:certificate/one';
  const webAcl = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/one';
  const { values } = published('dev', {
    domain: { name: 'api.example.com', certificateArn: arn },
    edge: { domain: { name: 'cdn.example.com', certificateArn: arn }, webAclArn: webAcl },
  });
  expect(values).toMatchObject({ domain: 'api.example.com', 'edge.domain': 'cdn.example.com' });
  expect(JSON.stringify(values)).not.toContain('arn:');
});

test('only the function that answers with the settings has them, well within the 4 KB of its environment', () => {
  const functions = Object.values(templateOf('local').findResources('AWS::Lambda::Function'));
  const variables = functions.map(({ Properties }) => Properties.Environment?.Variables ?? {});
  const having = functions.filter((_, index) => 'STAGE_SETTINGS' in variables[index]);
  expect(having.map(({ Properties }) => Properties.FunctionName)).toEqual(['video-service-local-service']);
  expect(JSON.stringify(having[0]!.Properties.Environment.Variables).length).toBeLessThan(3500);
});
