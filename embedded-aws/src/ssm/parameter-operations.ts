import { ServiceError } from '../control/json-protocol.ts';
import type { Identity } from '../iam/principals.ts';
import { authorizeKey, parameterArn } from './parameter-access.ts';
import {
  byPathInput,
  deleteInput,
  deleteManyInput,
  getInput,
  getManyInput,
  parseInput,
  putInput,
} from './parameter-inputs.ts';
import { checkName, checkPattern, invalid, tierFor } from './parameter-rules.ts';
import type { ParameterStore } from './parameter-store.ts';

/** What an operation works on. */
export type Call = { store: ParameterStore; now: () => Date; region: string; caller: Identity };

export async function putParameter({ store, now, region, caller }: Call, input: unknown) {
  const asked = parseInput(putInput, input);
  const { Name: name, Value: value } = asked;
  checkName(name);
  return store.change((draft) => {
    const old = draft.get(name);
    if (old && !asked.Overwrite) {
      throw new ServiceError(
        'ParameterAlreadyExists',
        'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
      );
    }
    const type = asked.Type ?? old?.type;
    if (!type) throw invalid('A parameter type is required when you create a parameter.');
    if (old && old.type !== type) {
      throw new ServiceError(
        'HierarchyTypeMismatchException',
        `The type of ${name} cannot be changed from ${old.type}`,
      );
    }
    checkPattern(value, asked.AllowedPattern);
    const tier = tierFor(value, asked.Tier, old);
    const keyArn = type === 'SecureString' ? asked.KeyId : undefined;
    authorizeKey(caller, tier === 'Standard' ? 'Encrypt' : 'GenerateDataKey', keyArn, region);
    const version = (old?.version ?? 0) + 1;
    draft.set(name, {
      type,
      value: store.seal(name, type, value),
      version,
      tier,
      keyArn,
      lastModifiedMs: now().getTime(),
      dataType: asked.DataType,
      allowedPattern: asked.AllowedPattern,
      description: asked.Description,
    });
    return { Version: version, Tier: tier };
  });
}

export async function getParameter(call: Call, input: unknown) {
  const { Name, WithDecryption } = parseInput(getInput, input);
  return { Parameter: present(call, Name, WithDecryption) };
}

export async function getParameters(call: Call, input: unknown) {
  const { Names, WithDecryption } = parseInput(getManyInput, input);
  const [found, absent] = partition([...new Set(Names)], (name) => call.store.find(name) !== undefined);
  return { Parameters: found.map((name) => present(call, name, WithDecryption)), InvalidParameters: absent };
}

/**
 * Lists the parameters below a path, or only those directly below it. The token is the last name of the previous page.
 */
export async function getParametersByPath(call: Call, input: unknown) {
  const asked = parseInput(byPathInput, input);
  const prefix = asked.Path.endsWith('/') ? asked.Path : `${asked.Path}/`;
  const after = Buffer.from(asked.NextToken ?? '', 'base64url').toString();
  const below = call.store
    .names()
    .filter((name) => name.startsWith(prefix) && name > after)
    .filter((name) => asked.Recursive || !name.slice(prefix.length).includes('/'));
  const page = below.slice(0, asked.MaxResults);
  return {
    Parameters: page.map((name) => present(call, name, asked.WithDecryption)),
    ...(below.length > page.length && { NextToken: Buffer.from(page.at(-1)!).toString('base64url') }),
  };
}

export async function deleteParameter({ store }: Call, input: unknown) {
  const { Name } = parseInput(deleteInput, input);
  return store.change((draft) => {
    if (!draft.delete(Name)) throw notFound(Name);
    return {};
  });
}

export async function deleteParameters({ store }: Call, input: unknown) {
  const { Names } = parseInput(deleteManyInput, input);
  return store.change((draft) => {
    const [deleted, absent] = partition([...new Set(Names)], (name) => draft.delete(name));
    return { DeletedParameters: deleted, InvalidParameters: absent };
  });
}

function present({ store, region, caller }: Call, name: string, decrypted: boolean) {
  const parameter = store.find(name);
  if (!parameter) throw notFound(name);
  if (decrypted) authorizeKey(caller, 'Decrypt', parameter.keyArn, region);
  return {
    Name: name,
    Type: parameter.type,
    Value: decrypted ? store.reveal(name, parameter) : parameter.value,
    Version: parameter.version,
    LastModifiedDate: parameter.lastModifiedMs / 1000,
    ARN: parameterArn(region, name),
    DataType: parameter.dataType,
  };
}

function notFound(name: string): ServiceError {
  return new ServiceError('ParameterNotFound', `Parameter ${name} not found.`);
}

function partition(names: string[], test: (name: string) => boolean): [string[], string[]] {
  const passed = names.filter(test);
  return [passed, names.filter((name) => !passed.includes(name))];
}
