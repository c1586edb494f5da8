import { type AccountLimits, minUnreserved } from '../account/account-limits.ts';
import {
  type DeployedTemplate,
  deployedTemplate,
  type Resource,
  type Template,
} from '../template/deployed-template.ts';
import { fixedName, type StackLocation } from '../template/resource-identity.ts';

/** A resource of the stack that exists, with the properties that it has now. */
export type DeployedResource = Resource & {
  /** of a custom resource */
  custom?: { physicalId: string; properties: Record<string, unknown> };
};

/** What CloudFormation answers for a resource that a service refuses. */
export class ResourceRefused extends Error {
  constructor(logicalId: string, reason: string) {
    super(`${logicalId}: ${reason}`);
    this.name = 'ResourceRefused';
  }
}

export type DeployedResources = ReturnType<typeof createDeployedResources>;

/**
 * The resources of a stack while it is deployed, and the names that they take in the account. Services see only what
 * exists: a policy that is not created yet allows nothing.
 */
export function createDeployedResources({ location, limits }: { location: StackLocation; limits: AccountLimits }) {
  const existing = new Map<string, DeployedResource>();
  const attributes = new Map<string, Record<string, string>>();
  /** Type and name of each resource with a fixed name. */
  const names = new Map<string, string>();
  /** The same of what was there before, or was retained. */
  const retained = new Set<string>();
  let parameters: Template['Parameters'];
  const present = (): DeployedTemplate =>
    deployedTemplate(
      { Resources: Object.fromEntries(existing), ...(parameters && { Parameters: parameters }) },
      location,
      attributes,
    );
  const nameOf = (resource: Resource): string | undefined => {
    const name = fixedName(resource.Type, (property) => present().resolve(resource.Properties?.[property]));
    return name === undefined ? undefined : `${resource.Type} ${name}`;
  };

  return {
    existing,
    attributes,
    retained,
    present,
    useParametersOf(template: Template): void {
      parameters = template.Parameters;
    },
    /** @throws ResourceRefused */
    add(logicalId: string, resource: Resource): void {
      const name = nameOf(resource);
      if (name !== undefined && ([...names.values()].includes(name) || retained.has(name))) {
        throw new ResourceRefused(logicalId, `${name} already exists`);
      }
      const problem = limitProblem(resource, [...existing.values()], limits);
      if (problem) throw new ResourceRefused(logicalId, problem);
      existing.set(logicalId, resource);
      if (name !== undefined) names.set(logicalId, name);
    },
    delete(logicalId: string): void {
      existing.delete(logicalId);
      attributes.delete(logicalId);
      names.delete(logicalId);
    },
    /** The resource leaves the stack and stays in the account. */
    retain(logicalId: string): void {
      const { Type } = existing.get(logicalId)!;
      retained.add(names.get(logicalId) ?? `${Type} ${logicalId}-${retained.size}`);
      this.delete(logicalId);
    },
  };
}

/** Why the account does not allow a resource. The messages are those of AWS. */
function limitProblem(
  { Type, Properties = {} }: Resource,
  others: Resource[],
  limits: AccountLimits,
): string | undefined {
  const most = { 'AWS::EC2::VPC': limits.vpcs, 'AWS::EC2::EIP': limits.addresses }[Type];
  if (most !== undefined && others.filter((one) => one.Type === Type).length >= most) {
    return `The maximum number of ${Type.slice('AWS::EC2::'.length)}s has been reached.`;
  }
  if (Type !== 'AWS::Lambda::Function') return undefined;
  const { concurrentExecutions, functionMemoryMib } = limits;
  if (Number(Properties.MemorySize ?? 0) > functionMemoryMib) {
    return `'MemorySize' value failed to satisfy constraint: Member must have value less than or equal to ${functionMemoryMib}`;
  }
  const reservedOf = (one: Resource): number => Number(one.Properties?.ReservedConcurrentExecutions ?? 0);
  const own = reservedOf({ Type, Properties });
  const left = concurrentExecutions - own - others.reduce((sum, one) => sum + reservedOf(one), 0);
  const least = Math.min(minUnreserved, concurrentExecutions);
  if (own === 0 || left >= least) return undefined;
  return `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${least}].`;
}
