import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { z } from 'zod';
import { ImageRepository } from '../../infra/images/image-repository.ts';
import { type Settings, settingsOf } from '../../infra/settings.ts';
import { VideoService } from '../../infra/stack.ts';

const template = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
});
const imageAssets = z.object({
  dockerImages: z.record(z.string(), z.object({ source: z.looseObject({ platform: z.string().optional() }) })),
});

/** What a stage needs of an account, as its template says. */
export type Stage = {
  settings: Settings;
  stackNames: { service: string; images: string };
  resources: { logicalId: string; type: string; properties: Record<string, unknown> }[];
  bootstrapVersion: number;
  /** The platforms of the images that a deployment builds, such as `linux/arm64`. */
  platforms: string[];
};

/** Synthesises the stacks of a stage without the code of their functions, which takes a second or two. */
export async function readStage(stage: string, overrides: unknown): Promise<Stage> {
  const settings = settingsOf(stage, overrides);
  const outdir = await mkdtemp(join(tmpdir(), 'preflight-'));
  try {
    const app = new App({
      outdir,
      analyticsReporting: false,
      builtinCloudFormationValidation: false,
      context: { [BUNDLING_STACKS]: [] },
    });
    const service = new VideoService(app, `video-service-${stage}`, { settings });
    const images = new ImageRepository(app, `${service.stackName}-images`, { stage });
    const assembly = app.synth();
    const artifact = assembly.getStackArtifact(service.artifactId);
    const { Resources } = template.parse(artifact.template);
    const platforms = assembly.artifacts.flatMap((one) => {
      const { success, data } = imageAssets.safeParse((one as { contents?: unknown }).contents);
      return success ? Object.values(data.dockerImages).flatMap(({ source }) => source.platform ?? []) : [];
    });
    return {
      settings,
      stackNames: { service: service.stackName, images: images.stackName },
      resources: Object.entries(Resources).map(([logicalId, { Type: type, Properties: properties }]) => {
        return { logicalId, type, properties };
      }),
      bootstrapVersion: artifact.requiresBootstrapStackVersion ?? 6,
      platforms: [...new Set(platforms)].sort(),
    };
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}

/** The fixed names of the resources of a type. */
export const namesOf = ({ resources }: Stage, type: string, property: string): string[] =>
  resources.flatMap(({ type: its, properties: { [property]: name } }) =>
    its === type && typeof name === 'string' ? [name] : [],
  );
