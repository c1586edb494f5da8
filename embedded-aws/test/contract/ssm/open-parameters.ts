import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SSM } from '@aws-sdk/client-ssm';
import { openSsm, ssmTarget } from '../../../src/ssm/ssm-server.ts';
import { serveControl } from '../../../src/testing/serve-control.ts';
import { clientConfig, isEmbedded, uniqueName } from '../target.ts';

/** A client for the target and a path for parameters, which `close` deletes. */
export async function openParameters(): Promise<{ client: SSM; path: string; close(): Promise<void> }> {
  const path = `/${uniqueName('parameters')}`;
  if (!isEmbedded) {
    const client = new SSM(clientConfig);
    return {
      client,
      path,
      async close() {
        for (;;) {
          const { Parameters = [] } = await client.getParametersByPath({ Path: path, Recursive: true });
          if (Parameters.length === 0) break;
          await client.deleteParameters({ Names: Parameters.map(({ Name }) => Name!) });
        }
        client.destroy();
      },
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'parameters-'));
  const store = await openSsm({ file: join(folder, 'parameters.json'), region: 'eu-west-1' });
  const served = await serveControl({ region: 'eu-west-1', targets: new Map([[ssmTarget, store.service]]) });
  const client = new SSM(served.client);
  return {
    client,
    path,
    async close() {
      client.destroy();
      await served.stop();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
