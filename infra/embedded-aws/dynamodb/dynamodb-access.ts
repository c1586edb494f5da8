import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { Input } from './items/dynalite-actions.ts';
import { tableArn } from './storage/table-definitions.ts';

// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html

/** The right that each member of a transaction takes. */
const transactionActions: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

type Right = { action: string; table: string; index?: string };

/** @throws AccessDenied unless the caller may do all of a call. What the input names in a wrong form, the operation refuses. */
export function authorizeCall(caller: Principal, operation: string, input: Input, region: string): void {
  for (const { action, table, index } of rightsFor(operation, input)) {
    // Lists of tables are of no table.
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
