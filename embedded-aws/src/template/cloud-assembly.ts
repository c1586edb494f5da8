import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from './deployed-template.ts';

export type CloudAssembly = {
  stackName: string;
  terminationProtection: boolean;
  template: Template;
  /** The absolute path of the asset with this object key (`<hash>.zip`, `<hash>.json`). */
  assetPath: (objectKey: string) => string;
};

type Manifest = {
  artifacts: Record<
    string,
    {
      type: string;
      properties?: { templateFile?: string; file?: string; stackName?: string; terminationProtection?: boolean };
    }
  >;
};
type AssetManifest = {
  files: Record<string, { source: { path: string }; destinations: Record<string, { objectKey: string }> }>;
};

/** Reads the only stack of a cloud assembly that `cdk synth` has written to `folder`. */
export async function readCloudAssembly(folder: string): Promise<CloudAssembly> {
  const readJson = async <Content>(file: string) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Content;
  const { artifacts } = await readJson<Manifest>('manifest.json');
  const ofType = (type: string) => Object.entries(artifacts).filter(([, artifact]) => artifact.type === type);

  const stacks = ofType('aws:cloudformation:stack');
  if (stacks.length !== 1) throw new Error(`Expected one stack in ${folder}, found ${stacks.length}.`);
  const [artifactId, { properties }] = stacks[0]!;

  const assets = new Map<string, string>();
  for (const [, artifact] of ofType('cdk:asset-manifest')) {
    const { files } = await readJson<AssetManifest>(artifact.properties!.file!);
    for (const { source, destinations } of Object.values(files)) {
      for (const { objectKey } of Object.values(destinations)) assets.set(objectKey, join(folder, source.path));
    }
  }
  return {
    stackName: properties?.stackName ?? artifactId,
    terminationProtection: properties?.terminationProtection ?? false,
    template: await readJson<Template>(properties!.templateFile!),
    assetPath(objectKey) {
      const path = assets.get(objectKey);
      if (!path) throw new Error(`The cloud assembly ${folder} has no asset ${objectKey}.`);
      return path;
    },
  };
}
