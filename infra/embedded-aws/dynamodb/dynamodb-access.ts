import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { Input } from './items/dynalite-actions.ts';
import { tableArn } from './storage/table-definitions.ts';

// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html

/** The permission for each kind of item in a transaction. */
const transactionActions: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

type Right = { action: string; table: string; index?: string };

/**
 * @throws AccessDenied unless the caller may perform the whole operation. Malformed input is rejected by the operation
 * itself.
 */
export function authorizeCall(caller: Principal, operation: string, input: Input, region: string): void {
  for (const { action, table, index } of rightsFor(operation, input)) {
    // ListTables is not about one table.
    const arn = table === '*' ? '*' : tableArn(region, table);
    authorize(caller, `dynamodb:${action}`, index === undefined ? arn : `${arn}/index/${index}`);
  }
}

function rightsFor(operation: string, input: Input): Right[] {
  switch (operation) {
    case 'ListTables':
      return [{ action: operation, table: '*' }];
    case 'BatchGetItem':
    case 'BatchWriteItem':
      return Object.keys(asObject(input.RequestItems)).map((table) => ({ action: operation, table }));
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return transactionRights(input.TransactItems);
    case 'Query':
    case 'Scan':
      return [
        { action: operation, table: tableOf(input), ...(input.IndexName != null && { index: `${input.IndexName}` }) },
      ];
    default:
      return [{ action: operation, table: tableOf(input) }];
  }
}

function transactionRights(items: unknown): Right[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) =>
    Object.entries(asObject(item)).flatMap(([kind, about]) =>
      Object.hasOwn(transactionActions, kind)
        ? { action: transactionActions[kind]!, table: tableOf(asObject(about)) }
        : [],
    ),
  );
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const tableOf = ({ TableName }: Record<string, unknown>): string => String(TableName);
