import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from '../settings.ts';

/**
 * Removal policy of log groups. A stage that retains its data retains its logs, with two exceptions, because the
 * groups have fixed names and CloudFormation creates none that exists: after a failed first deployment, and those of
 * functions that a setting removes (`optional`), which another change of the setting could not add again.
 */
export const logRemoval = ({ keepData }: Settings, part: 'permanent' | 'optional' = 'permanent'): RemovalPolicy =>
  keepData && part === 'permanent' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
