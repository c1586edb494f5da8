import type { Template } from '../template/deployed-template.ts';

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
const maxResources = 500;
const maxOutputs = 200;
const maxParameters = 200;
/** Of a template in a bucket. */
const maxTemplateBytes = 1024 * 1024;

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
const intrinsics = new Set([
  'Base64',
  'Cidr',
  'FindInMap',
  'GetAtt',
  'GetAZs',
  'ImportValue',
  'Join',
  'Length',
  'Select',
  'Split',
  'Sub',
  'ToJsonString',
  'Transform',
  'If',
  'And',
  'Equals',
  'Not',
  'Or',
]);

/** A template that CloudFormation refuses. */
export class TemplateRefused extends Error {
  constructor(problem: string) {
    super(`CloudFormation would refuse the template: ${problem}`);
    this.name = 'TemplateRefused';
  }
}

/** The logical ids of the resources in an order in which they can be created. @throws TemplateRefused */
export const creationOrder = (template: Template): string[] => sorted(dependenciesOf(template));

/**
 * Checks what CloudFormation checks before it creates anything: quotas, intrinsic functions and references. Returns the
 * logical ids that each resource has to wait for.
 * @throws TemplateRefused
 */
export function dependenciesOf(template: Template): Map<string, Set<string>> {
  const { Resources, Outputs = {}, Parameters = {} } = template;
  requireAtMost('resources', Object.keys(Resources).length, maxResources);
  requireAtMost('outputs', Object.keys(Outputs).length, maxOutputs);
  requireAtMost('parameters', Object.keys(Parameters).length, maxParameters);
  requireAtMost('bytes', Buffer.byteLength(JSON.stringify(template)), maxTemplateBytes);
  const find = (where: string, value: unknown): Set<string> => {
    const found = new Set<string>();
    for (const name of referencesIn(value)) {
      if (Object.hasOwn(Resources, name)) found.add(name);
      else if (!name.startsWith('AWS::') && !Object.hasOwn(Parameters, name)) {
        throw new TemplateRefused(`${where} refers to ${name}, which does not exist.`);
      }
    }
    return found;
  };
  find('An output', Outputs);
  return new Map(
    Object.entries(Resources).map(([id, { Properties, DependsOn = [] }]) => {
      return [
        id,
        new Set([
          ...find(id, Properties),
          ...find(
            id,
            [DependsOn].flat().map((name) => ({ Ref: name })),
          ),
        ]),
      ];
    }),
  );
}

function requireAtMost(what: string, count: number, most: number): void {
  if (count > most) throw new TemplateRefused(`it has ${count} ${what}, and at most ${most} are allowed.`);
}

/** The template with its resources in the order of `creationOrder`. @throws TemplateRefused */
export function inCreationOrder(template: Template): Template {
  const Resources = Object.fromEntries(creationOrder(template).map((id) => [id, template.Resources[id]!]));
  return { ...template, Resources };
}

/** Names of resources and parameters in intrinsic functions. */
function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key.startsWith('Fn::')) yield* referencesOfFunction(key.slice(4), inner);
    else if (key === 'Ref' && typeof inner === 'string' && Object.keys(value).length === 1) yield inner;
    else yield* referencesIn(inner);
  }
}

function* referencesOfFunction(name: string, argument: unknown): Generator<string> {
  if (!intrinsics.has(name)) throw new TemplateRefused(`it has the unknown intrinsic function Fn::${name}.`);
  if (name === 'GetAtt')
    yield String(typeof argument === 'string' ? argument.split('.')[0] : (argument as unknown[])[0]);
  else if (name === 'Sub') yield* referencesOfSub([argument].flat() as [string, Record<string, unknown>?]);
  else yield* referencesIn(argument);
}

function* referencesOfSub([text, variables = {}]: [string, Record<string, unknown>?]): Generator<string> {
  for (const [, name] of text.matchAll(/\$\{([^!}][^}]*)\}/g)) {
    if (!Object.hasOwn(variables, name!)) yield name!.split('.')[0]!;
  }
  yield* referencesIn(variables);
}

/** Each resource after those that it depends on. @throws TemplateRefused for a circular dependency */
function sorted(dependencies: Map<string, Set<string>>): string[] {
  const order: string[] = [];
  const done = new Set<string>();
  const visit = (id: string, path: string[]): void => {
    if (done.has(id)) return;
    if (path.includes(id)) {
      const cycle = [...path.slice(path.indexOf(id)), id].join(' → ');
      throw new TemplateRefused(`it has a circular dependency between resources: ${cycle}.`);
    }
    for (const needed of dependencies.get(id)!) visit(needed, [...path, id]);
    done.add(id);
    order.push(id);
  };
  for (const id of dependencies.keys()) visit(id, []);
  return order;
}
