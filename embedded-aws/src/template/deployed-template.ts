import { identify, type StackLocation } from './resource-identity.ts';

export type Resource = {
  Type: string;
  Properties?: Record<string, unknown>;
  Metadata?: unknown;
  DependsOn?: string | string[];
  DeletionPolicy?: 'Delete' | 'Retain' | 'RetainExceptOnCreate';
};
export type Template = {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown }>;
  Parameters?: Record<string, { Default?: unknown }>;
};

export const stackId = ({ region, accountId, stackName }: StackLocation): string =>
  `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/local`;

export type ResolvedResource = {
  logicalId: string;
  ref: string;
  arn: string;
  properties: unknown;
  metadata: unknown;
  /** The logical ids in its `DependsOn`. */
  dependsOn: string[];
};

/** The attributes that custom resources returned, by logical id. */
export type CustomAttributes = Map<string, Record<string, string>>;

/**
 * Reads a CloudFormation template as if it were deployed at `place`. Values are resolved on demand, so that resources
 * which are not used, such as networks, need no support here, and custom resources can be created later.
 */
export function deployedTemplate(
  template: Template,
  location: StackLocation,
  customAttributes: CustomAttributes = new Map(),
) {
  const pseudo: Record<string, unknown> = {
    'AWS::Region': location.region,
    'AWS::AccountId': location.accountId,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': location.stackName,
    'AWS::StackId': stackId(location),
    'AWS::NoValue': undefined,
  };

  function identity(logicalId: string) {
    const found = template.Resources[logicalId];
    if (!found) throw new Error(`The template has no resource ${logicalId}.`);
    return identify(found.Type, logicalId, (name) => resolve(found.Properties?.[name]), location);
  }

  function reference(name: string): unknown {
    if (Object.hasOwn(pseudo, name)) return pseudo[name];
    const parameter = template.Parameters?.[name];
    return parameter ? parameter.Default : identity(name).ref;
  }

  function attribute(logicalId: string, name: string): string {
    const value = customAttributes.get(logicalId)?.[name] ?? identity(logicalId).attributes[name];
    if (value !== undefined) return value;
    throw new Error(
      `The embedded CloudFormation has no attribute ${name} of ${template.Resources[logicalId]?.Type} (${logicalId}).`,
    );
  }

  /**
   * Replaces the address of the API, which templates may also build from its id, region and suffix, and that of the
   * distribution, which delivers the API as well.
   */
  const localAddresses = (text: string): string =>
    text.replace(
      /https:\/\/[A-Za-z0-9-]+\.(execute-api\.[a-z0-9-]+\.amazonaws\.com|cloudfront\.net)/g,
      location.apiUrl,
    );

  const substitute = (text: string, variables: Record<string, unknown>): string =>
    text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      if (Object.hasOwn(variables, name)) return String(resolve(variables[name]));
      const dot = name.indexOf('.');
      return String(dot < 0 ? reference(name) : attribute(name.slice(0, dot), name.slice(dot + 1)));
    });

  const intrinsics: Record<string, (...argument: never[]) => unknown> = {
    Ref: reference,
    'Fn::GetAtt': (logicalId: string, name: unknown) => attribute(logicalId, String(resolve(name))),
    'Fn::Join': (separator: string, parts: unknown) => localAddresses((resolve(parts) as unknown[]).join(separator)),
    'Fn::Sub': (text: string, variables: Record<string, unknown> = {}) => localAddresses(substitute(text, variables)),
    'Fn::Select': (index: unknown, list: unknown) => (resolve(list) as unknown[])[Number(resolve(index))],
    'Fn::Split': (separator: string, text: unknown) => String(resolve(text)).split(separator),
    'Fn::GetAZs': () => [`${location.region}a`, `${location.region}b`, `${location.region}c`],
  };

  /** Replaces every intrinsic function in a value. Properties that resolve to AWS::NoValue are omitted. */
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? [];
    if (entries.length === 1 && (name === 'Ref' || name?.startsWith('Fn::'))) {
      const intrinsic = intrinsics[name];
      if (!intrinsic) throw new Error(`The embedded CloudFormation does not support the intrinsic function ${name}.`);
      return intrinsic(...((Array.isArray(argument) ? argument : [argument]) as never[]));
    }
    return Object.fromEntries(
      entries.map(([key, item]) => [key, resolve(item)]).filter(([, item]) => item !== undefined),
    );
  }

  return {
    resolve,
    customAttributes,
    /** The logical ids and the types of the custom resources. */
    customResources: Object.entries(template.Resources)
      .filter(([, { Type }]) => Type.startsWith('Custom::'))
      .map(([logicalId, { Type, Properties }]) => ({
        logicalId,
        type: Type,
        properties: () => resolve(Properties ?? {}) as Record<string, unknown>,
      })),
    /** The resources of the given types, with resolved properties. */
    resources(...types: string[]): ResolvedResource[] {
      return Object.entries(template.Resources)
        .filter(([, { Type }]) => types.includes(Type))
        .map(([logicalId, { Properties, Metadata, DependsOn = [] }]) => {
          const { ref, attributes } = identity(logicalId);
          return {
            logicalId,
            ref,
            arn: attributes.Arn ?? ref,
            properties: resolve(Properties ?? {}),
            // When it is read: CloudFormation does not order resources by what metadata refer to.
            get metadata() {
              return resolve(Metadata ?? {});
            },
            dependsOn: [DependsOn].flat(),
          };
        });
    },
    /** Type and physical id of each resource, by logical id. */
    physicalIds: (): Record<string, { type: string; physicalId: string }> =>
      Object.fromEntries(
        Object.entries(template.Resources).map(([id, { Type }]) => [id, { type: Type, physicalId: identity(id).ref }]),
      ),
    outputs(): Record<string, string> {
      return Object.fromEntries(
        Object.entries(template.Outputs ?? {}).map(([name, { Value }]) => [name, String(resolve(Value))]),
      );
    },
  };
}

export type DeployedTemplate = ReturnType<typeof deployedTemplate>;
