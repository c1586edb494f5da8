import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { settingsOf } from '../../infra/settings.ts';
import { VideoService } from '../../infra/stack.ts';

/** The stack of a stage without bundles, as the CLI synthesises it when it needs no assets. */
export function stackOf(stage: string, overrides: object = {}): VideoService {
  const folder = mkdtempSync(join(tmpdir(), 'synthesised-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const app = new App({
    outdir: folder,
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    context: { '@aws-cdk/aws-iam:minimizePolicies': true, 'aws:cdk:bundling-stacks': [] },
  });
  return new VideoService(app, `video-service-${stage}`, { settings: settingsOf(stage, overrides) });
}

const templates = new Map<string, Template>();

/** The template of a stage. Tests that share a process share it, because each takes a second: nothing may change it. */
export function templateOf(stage: string, overrides: object = {}): Template {
  const key = JSON.stringify([stage, overrides]);
  const known = templates.get(key);
  if (known) return known;
  const template = Template.fromStack(stackOf(stage, overrides));
  freeze(template.toJSON());
  templates.set(key, template);
  return template;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(freeze);
  Object.freeze(value);
}
