import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { Input } from './items/dynalite-actions.ts';
import { asList, asObject, partitionKeyOf, queriedKey, textOf } from './items/queried-key.ts';
import { type Tables, tableArn } from './storage/table-definitions.ts';

// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html

/** The permission for each kind of item in a transaction. */
const transactionActions: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

type Scope = { tables: Tables; region: string };
type Right = { action: string; table: string; backupArn?: string; index?: string; leadingKeys?: readonly string[] };

/**
 * @throws AccessDenied unless the caller may perform the whole operation. Malformed input is rejected by the operation
 * itself.
 */
export function authorizeCall(caller: Principal, operation: string, input: Input, { tables, region }: Scope): void {
  for (const { action, table, index, leadingKeys, backupArn } of rightsFor(operation, input, tables)) {
    // ListTables is not about one table.
    const arn = backupArn ?? (table === '*' ? '*' : tableArn(region, table));
    const resource = index === undefined ? arn : `${arn}/index/${index}`;
    authorize(caller, `dynamodb:${action}`, resource, leadingKeys && { 'dynamodb:leadingkeys': leadingKeys });
  }
}

function rightsFor(operation: string, input: Input, tables: Tables): Right[] {
  const table = tableOf(input);
  switch (operation) {
    case 'ListTables':
      return [{ action: operation, table: '*' }];
    case 'BatchGetItem':
      return Object.entries(asObject(input.RequestItems)).map(([name, request]) => {
        const leadingKeys = asList(asObject(request).Keys).map((key) => leadingKey(tables, name, key));
        return { action: operation, table: name, leadingKeys };
      });
    case 'BatchWriteItem':
      return Object.entries(asObject(input.RequestItems)).map(([name, requests]) => {
        const leadingKeys = asList(requests).map((one) => leadingKey(tables, name, writtenKey(one)));
        return { action: operation, table: name, leadingKeys };
      });
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return transactionRights(input.TransactItems, tables);
    case 'Query': {
      const leadingKeys = [queriedKey(tables.get(table), input)];
      return [
        { action: operation, table, leadingKeys, ...(input.IndexName != null && { index: `${input.IndexName}` }) },
      ];
    }
    // A scan reads all items, so it has no leading keys.
    case 'Scan':
      return [{ action: operation, table, ...(input.IndexName != null && { index: `${input.IndexName}` }) }];
    case 'GetItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [{ action: operation, table, leadingKeys: [leadingKey(tables, table, input.Key)] }];
    case 'PutItem':
      return [{ action: operation, table, leadingKeys: [leadingKey(tables, table, input.Item)] }];
    case 'DescribeBackup':
    case 'DeleteBackup':
      return [{ action: operation, table, backupArn: String(input.BackupArn) }];
    case 'RestoreTableFromBackup': {
      const target = String(input.TargetTableName);
      return [{ action: operation, table, backupArn: String(input.BackupArn) }, ...restoreRights(operation, target)];
    }
    case 'RestoreTableToPointInTime': {
      const source = { action: operation, table: String(input.SourceTableName) };
      return [source, ...restoreRights(operation, String(input.TargetTableName))];
    }
    default:
      return [{ action: operation, table }];
  }
}

/** What a restore needs for the table that it creates. */
const restoreRights = (operation: string, table: string): Right[] =>
  [operation, 'BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'].map((action) => ({
    action,
    table,
  }));

function transactionRights(items: unknown, tables: Tables): Right[] {
  return asList(items).flatMap((item) =>
    Object.entries(asObject(item)).flatMap(([kind, content]) => {
      if (!Object.hasOwn(transactionActions, kind)) return [];
      const about = asObject(content);
      const table = tableOf(about);
      return {
        action: transactionActions[kind]!,
        table,
        leadingKeys: [leadingKey(tables, table, about.Key ?? about.Item)],
      };
    }),
  );
}

/** The key of a part of BatchWriteItem, or the item that contains it. */
function writtenKey(part: unknown): unknown {
  const { PutRequest, DeleteRequest } = asObject(part);
  return asObject(PutRequest).Item ?? asObject(DeleteRequest).Key;
}

/** No partition key. A policy that names prefixes does not allow it. */
const noKey = '';

/** The partition key in a key or item. */
function leadingKey(tables: Tables, table: string, key: unknown): string {
  const hash = partitionKeyOf(tables.get(table)?.KeySchema);
  return hash === undefined ? noKey : textOf(asObject(key)[hash]);
}

const tableOf = ({ TableName }: Record<string, unknown>): string => String(TableName);
