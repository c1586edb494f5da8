import { join } from 'node:path';
import { openSsm } from '../ssm/ssm-server.ts';
import { region, type StackContext } from './stack-context.ts';

export async function openParameters({ options, shutdown }: StackContext) {
  const ssm = await openSsm({ file: join(options.dataFolder, 'parameters.json'), region });
  shutdown.onClose(ssm.close);
  return ssm;
}
