import { join } from 'node:path';
import { build } from 'esbuild';

export type Major = 5 | 6;

const modules = {
  5: `export { default as Uppy } from '@uppy/core'; export { default as AwsS3 } from '@uppy/aws-s3';`,
  6: `export { default as Uppy } from '@uppy/core'; export { default as AwsS3 } from '@uppy/aws-s3';
      export { default as GoldenRetriever } from '@uppy/golden-retriever';`,
};

const bundles = new Map<Major, Promise<Uint8Array>>();

/** A major version of Uppy as one browser module, from the packages installed in its folder here. */
export function bundleUppy(major: Major): Promise<Uint8Array> {
  const made = bundles.get(major) ?? bundle(major);
  bundles.set(major, made);
  return made;
}

async function bundle(major: Major): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: modules[major], resolveDir: join(import.meta.dirname, `uppy-${major}`) },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]!.contents;
}
