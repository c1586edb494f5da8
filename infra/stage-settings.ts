import type { SettingValue, StageSettings } from '../shared/stage-settings.ts';
import { type Settings, settingsOf } from './settings.ts';

/**
 * The settings for the environment of the function that shows them to administrators. None of them is a secret: those
 * are in Systems Manager. ARNs are left out, since they name the AWS account; a domain is its name.
 */
export function formatStageSettings(settings: Settings): string {
  const values = namedValues(settings);
  const defaults = namedValues(settingsOf(settings.stage, {}));
  const changed = Object.keys(values).filter((name) => JSON.stringify(values[name]) !== JSON.stringify(defaults[name]));
  const result: StageSettings = {
    values,
    defaults: Object.fromEntries(changed.map((name) => [name, defaults[name] ?? null])),
  };
  return JSON.stringify(result);
}

function namedValues({ stage: _, domain, edge, transcription, ...settings }: Settings): Record<string, SettingValue> {
  const { domain: edgeDomain, webAclArn: __, ...edgeSettings } = edge;
  return flat({
    ...settings,
    domain: domain?.name ?? null,
    transcription: transcription?.model ?? null,
    edge: { ...edgeSettings, domain: edgeDomain?.name ?? null },
  });
}

const flat = (values: object, prefix = ''): Record<string, SettingValue> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, SettingValue][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flat(value, `${prefix}${name}.`))
        : [[prefix + name, value]],
    ),
  );
