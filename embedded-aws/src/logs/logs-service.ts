import type { ControlService } from '../control/control-service.ts';
import { ServiceError } from '../control/json-protocol.ts';
import { operationHandler } from '../control/operation-handler.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { createLogDeliveries, deliveriesRegion, type LogDeliveriesOptions } from './log-deliveries.ts';

export const logsTarget = 'Logs_20140328';

const maxBodyBytes = 64 * 1024;
const pageSize = 50;

type Input = Record<string, unknown>;
type Operation = (input: Input, caller: Principal) => object;

export type LogsOptions = LogDeliveriesOptions & { region: string; logGroups: () => readonly string[] };

/** The embedded CloudWatch Logs: the names of log groups, and deliveries of logs. Log lines are printed, not kept. */
export function createLogs(options: LogsOptions) {
  const deliveries = createLogDeliveries(options);
  const operations: Record<string, Operation> = {
    ...deliveries.operations,
    DescribeLogGroups(input, caller) {
      authorize(caller, 'logs:DescribeLogGroups', '*');
      return describeLogGroups(options.logGroups(), input);
    },
  };
  const service: ControlService = {
    signingName: 'logs',
    protocol: 'json-1.1',
    maxBodyBytes,
    otherRegion: deliveriesRegion,
    handle: operationHandler({
      protocol: 'json-1.1',
      operations,
      perform: (operation, { input, caller }) => operation(input, caller),
    }),
  };
  return { service, deliveries: deliveries.state };
}

function describeLogGroups(all: readonly string[], { logGroupNamePrefix = '', nextToken = '', limit }: Input): object {
  if (limit !== undefined && !(Number(limit) >= 1 && Number(limit) <= pageSize)) {
    throw new ServiceError('InvalidParameterException', `limit must be from 1 to ${pageSize}`);
  }
  const names = all.filter((name) => name.startsWith(String(logGroupNamePrefix)) && name > String(nextToken)).sort();
  const page = names.slice(0, Number(limit ?? pageSize));
  return {
    logGroups: page.map((logGroupName) => ({ logGroupName })),
    ...(names.length > page.length && { nextToken: page.at(-1) }),
  };
}
