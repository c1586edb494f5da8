import type { ServerResponse } from 'node:http';
import type { AccountLimits } from '../account/account-limits.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { FunctionDefinition } from '../template/read-functions.ts';

export type LambdaContext = { functions: readonly FunctionDefinition[]; limits: AccountLimits };

/** Answers what operators read: the limits of the account, and its functions. False for any other request. */
export function handleLambdaRead(
  { method, path }: { method: string | undefined; path: string },
  response: ServerResponse,
  caller: Principal,
  context: LambdaContext,
): boolean {
  if (method !== 'GET') return false;
  const [, operation] = /^\/(2016-08-19\/account-settings|2015-03-31\/functions)\/?(?:\?|$)/.exec(path) ?? [];
  if (operation === undefined) return false;
  const isSettings = operation.endsWith('account-settings');
  authorize(caller, `lambda:${isSettings ? 'GetAccountSettings' : 'ListFunctions'}`, '*');
  const output = isSettings ? settingsOf(context) : { Functions: context.functions.map(describe) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(output));
  return true;
}

const describe = ({ name, arn, memoryMiB }: FunctionDefinition) => ({
  FunctionName: name,
  FunctionArn: arn,
  MemorySize: memoryMiB,
});

function settingsOf({ functions, limits }: LambdaContext): object {
  const reserved = functions.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0);
  const { concurrentExecutions } = limits;
  return {
    AccountLimit: {
      ConcurrentExecutions: concurrentExecutions,
      UnreservedConcurrentExecutions: concurrentExecutions - reserved,
    },
    AccountUsage: { FunctionCount: functions.length },
  };
}
