import { join } from 'node:path';
import { Stack, Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { repositoryRoot } from '../repository-root.ts';

/** The folder of a handler's bundle; without bundling the source folder, as in the constructs of the CDK. */
export const handlerFolder = (scope: Construct, name: string): string =>
  isBundled(scope) ? join(outFolder(scope), 'functions', name) : join(repositoryRoot, 'functions');

/** The build context of the encoder image. */
export const encoderFolder = (scope: Construct): string =>
  isBundled(scope) ? join(outFolder(scope), 'encoder-task') : join(repositoryRoot, 'encoder-task');

/** False for CLI commands that need no assets, such as `cdk ls` and `cdk destroy`. */
const isBundled = (scope: Construct): boolean => Stack.of(scope).bundlingRequired;

const outFolder = (scope: Construct): string => Stage.of(scope)!.outdir;
