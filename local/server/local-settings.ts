import type { LogLevel } from 'embedded-aws';
import { settingsOf } from '../../infra/settings.ts';
import { formatStageSettings } from '../../infra/stage-settings.ts';

type Started = {
  workers: number;
  logLevel: LogLevel;
  /** of all functions */
  environment: Readonly<Record<string, string>> | undefined;
};

/** The settings that administrators see: those of the stage `local`, with what this start has set. */
export function localSettings({ workers, logLevel, environment = {} }: Started): string {
  const {
    REGISTRATION,
    COUNT_VIEWS,
    TRANSCRIPT_SEARCH,
    ALLOWED_ORIGINS,
    ALLOW_LOOPBACK_TARGETS: loopbackTargets,
    WORKER_IMAGE_X86_64: workerImage,
    PROXY_IMAGE_X86_64: proxyImage,
    ACME_DIRECTORY: acmeDirectory,
  } = environment;
  const settings = settingsOf('local', {
    ...(REGISTRATION !== undefined && { registration: REGISTRATION === 'on' }),
    ...(COUNT_VIEWS !== undefined && { countViews: COUNT_VIEWS === 'on' }),
    ...(TRANSCRIPT_SEARCH !== undefined && { transcriptSearch: TRANSCRIPT_SEARCH === 'on' }),
    ...(ALLOWED_ORIGINS !== undefined && { allowedOrigins: ALLOWED_ORIGINS.split(',').filter(Boolean) }),
    // SILENT is no level of a deployed stage.
    ...(logLevel !== 'SILENT' && { logLevel }),
    workers: { maxTasks: workers },
    ...(loopbackTargets !== undefined && { allowLoopbackTargets: loopbackTargets === 'on' }),
    nodes: {
      ...(workerImage !== undefined && { workerImage }),
      ...(proxyImage !== undefined && { proxyImage }),
      ...(acmeDirectory !== undefined && { acmeDirectory }),
    },
  });
  return formatStageSettings(settings);
}
