import type { IncomingMessage } from 'node:http';
import type { DistributionDefinition, OriginDefinition } from '../../template/distributions/read-distributions.ts';
import type { EdgeCache } from '../cache/edge-cache.ts';
import type { EdgeBehaviour } from './edge-behaviour.ts';

/** A viewer's request while the distribution answers it. */
export type Viewing = {
  request: IncomingMessage;
  behaviour: EdgeBehaviour & { originDefinition: OriginDefinition };
  requestId: string;
  /** As received, without the query. */
  path: string;
  query: string;
  address: string;
  port: number;
};

export type DistributionContext = {
  cache: EdgeCache;
  definition: Pick<DistributionDefinition, 'id' | 'domainName' | 'enabled'>;
  log: (line: string) => void;
};
