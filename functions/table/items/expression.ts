/** What conditions compare. Whole lists and maps are not compared. Undefined values are ignored. */
export type Scalar = string | number | boolean | null | undefined;

/** The condition of a write on the stored item. All given parts must hold. */
export type Condition = {
  exists?: boolean;
  absent?: readonly string[];
  equals?: Readonly<Record<string, Scalar>>;
  /** how many elements a list has */
  length?: Readonly<Record<string, number | undefined>>;
  oneOf?: Readonly<Record<string, readonly Scalar[]>>;
  below?: Readonly<Record<string, number | string>>;
  atLeast?: Readonly<Record<string, number | string>>;
};

/** Changes of one item. Names are paths: `streams.01K….status` is a field in nested maps. */
export type Changes = {
  set?: Readonly<Record<string, unknown>>;
  setIfAbsent?: Readonly<Record<string, unknown>>;
  add?: Readonly<Record<string, number>>;
  remove?: readonly string[];
};

/** Values of a nested map as paths from the item: `{ status }` below `streams.01K…` is `streams.01K….status`. */
export const below = <Value>(path: string, values: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).map(([name, content]) => [`${path}.${name}`, content]));

export type Expression = {
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
};

/** DynamoDB's expressions for a change with a condition. Undefined values in `set` are ignored. */
export function expression(changes: Changes, condition: Condition = {}): Expression {
  const names = new Map<string, string>();
  const values: Record<string, unknown> = {};

  const path = (text: string): string =>
    text
      .split('.')
      .map((part) => {
        if (!names.has(part)) names.set(part, `#n${names.size}`);
        return names.get(part);
      })
      .join('.');
  const value = (content: unknown): string => {
    const name = `:v${Object.keys(values).length}`;
    values[name] = content;
    return name;
  };

  const sets = [
    ...given(changes.set).map(([name, content]) => `${path(name)} = ${value(content)}`),
    ...given(changes.setIfAbsent).map(
      ([name, content]) => `${path(name)} = if_not_exists(${path(name)}, ${value(content)})`,
    ),
  ];
  const adds = given(changes.add).map(([name, amount]) => `${path(name)} ${value(amount)}`);
  const removes = (changes.remove ?? []).map(path);
  const update = [clause('SET', sets), clause('ADD', adds), clause('REMOVE', removes)].filter(Boolean).join(' ');

  const conditions = [
    ...(condition.exists === undefined
      ? []
      : [`${condition.exists ? 'attribute_exists' : 'attribute_not_exists'}(${path('pk')})`]),
    ...(condition.absent ?? []).map((name) => `attribute_not_exists(${path(name)})`),
    ...given(condition.equals).map(([name, content]) => `${path(name)} = ${value(content)}`),
    ...given(condition.length).map(([name, length]) => `size(${path(name)}) = ${value(length)}`),
    ...given(condition.oneOf).map(
      ([name, options]) => `${path(name)} IN (${(options as unknown[]).map(value).join(', ')})`,
    ),
    ...given(condition.below).map(([name, bound]) => `${path(name)} < ${value(bound)}`),
    ...given(condition.atLeast).map(([name, bound]) => `${path(name)} >= ${value(bound)}`),
  ].join(' AND ');

  return {
    ...(update && { UpdateExpression: update }),
    ...(conditions && { ConditionExpression: conditions }),
    ...(names.size > 0 && {
      ExpressionAttributeNames: Object.fromEntries([...names].map(([part, name]) => [name, part])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

const given = (entries: Readonly<Record<string, unknown>> | undefined): [string, unknown][] =>
  Object.entries(entries ?? {}).filter(([, content]) => content !== undefined);

const clause = (keyword: string, parts: string[]): string =>
  parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`;
