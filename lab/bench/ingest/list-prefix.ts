// Continues the batches of a user until they are listed, as the service's function does, and ends their ingests.
// node lab/bench/ingest/list-prefix.ts USER      sends how many keys were looked at, and its memory, after each call

import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { abortMultipart } from '../../../functions/aws/abort-multipart.ts';
import { continueBatches } from '../../../functions/ingests/continue-batches.ts';
import { listBatches } from '../../../functions/table/ingests/ingest-batch-table.ts';
import { closeUpload, listOpenUploads } from '../../../functions/table/uploads/upload-table.ts';

mockClient(SSMClient)
  .on(GetParameterCommand)
  .resolves({ Parameter: { Value: 'secret' } });

const [userUlid = ''] = process.argv.slice(2);
for (let isListed = false; !isListed; ) {
  isListed = !(await continueBatches(userUlid));
  for (const upload of await listOpenUploads(userUlid)) {
    await closeUpload(upload, 'notFetched', 'INPUT_GONE: it is not there');
    await abortMultipart(upload);
  }
  const [batch] = await listBatches(userUlid, 1);
  const progress = {
    keys: batch!.created + batch!.skipped,
    rssBytes: process.memoryUsage.rss(),
    isListed,
  };
  await new Promise((sent) => process.send!(progress, sent));
}
