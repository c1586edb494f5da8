import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from '../settings.ts';

/**
 * What becomes of a log group when its stack goes. Where data is kept, logs are, but for those of a first deployment that fails: the groups have fixed
 * names, and one that is left over has the next try fail.
 */
export const logRemoval = ({ keepData }: Settings): RemovalPolicy =>
  keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
