import {
  DefaultStackSynthesizer,
  type DockerImageAssetLocation,
  type DockerImageAssetSource,
  type ISynthesisSession,
} from 'aws-cdk-lib';
import { ArtifactType } from 'aws-cdk-lib/cloud-assembly-schema';
import type { CloudAssemblyBuilder } from 'aws-cdk-lib/cx-api';
import { imageRepositoryName } from './image-names.ts';

/** Pushes the images of a stack to the repository of its stage, not to that of all CDK apps of the account. */
export class ImageSynthesizer extends DefaultStackSynthesizer {
  constructor(stage: string) {
    super({ imageAssetsRepositoryName: imageRepositoryName(stage) });
  }

  override addDockerImageAsset(asset: DockerImageAssetSource): DockerImageAssetLocation {
    return super.addDockerImageAsset({ ...asset, sourceHash: `${asset.assetName}-${asset.sourceHash}` });
  }

  /**
   * The assets depend on the same stacks as the stack. Otherwise the CLI would build all images first, for which it
   * looks up the repository.
   */
  override synthesize(session: ISynthesisSession): void {
    const stacks = this.boundStack.dependencies.map(({ artifactId }) => artifactId);
    const assembly: CloudAssemblyBuilder = Object.create(session.assembly);
    assembly.addArtifact = (id, manifest) =>
      session.assembly.addArtifact(
        id,
        manifest.type === ArtifactType.ASSET_MANIFEST
          ? { ...manifest, dependencies: [...(manifest.dependencies ?? []), ...stacks] }
          : manifest,
      );
    super.synthesize({ ...session, assembly });
  }
}
