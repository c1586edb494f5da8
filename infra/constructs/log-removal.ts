import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from '../settings.ts';

/**
 * Removal policy of log groups. A stage that retains its data retains its logs, except after a failed first deployment:
 * the groups have fixed names, and a leftover group would make the next attempt fail.
 */
export const logRemoval = ({ keepData }: Settings): RemovalPolicy =>
  keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
