import type { JobKind } from '../../../shared/protocol/jobs.ts';
import type { Decide } from './store-proxy.ts';

/** Makes the table refuse results of jobs of a video and a kind as invalid. `most`: only the first ones. */
export function refuseResults(
  { videoUlid, kind, most = Number.POSITIVE_INFINITY }: { videoUlid: string; kind: JobKind; most?: number },
  onRefused: () => void = () => undefined,
): Decide {
  let refused = 0;
  return ({ operation, body }) => {
    const endsJob =
      /Update|Transact/.test(operation) &&
      body.includes(`"JOBS#${videoUlid}#`) &&
      body.includes(`"${kind}#`) &&
      body.includes('"DONE"');
    if (!endsJob || refused >= most) return undefined;
    refused++;
    onRefused();
    return { kind: 'invalid' };
  };
}
