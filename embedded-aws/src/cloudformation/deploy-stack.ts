import { isDeepStrictEqual } from 'node:util';
import { type AccountLimits, usualLimits } from '../account/account-limits.ts';
import { type Resource, stackId, type Template } from '../template/deployed-template.ts';
import type { StackLocation } from '../template/resource-identity.ts';
import { askCustomResource, CustomResourceFailed, type InvokeFunction } from './ask-custom-resource.ts';
import { dependenciesOf } from './check-template.ts';
import { createDeployedResources, type DeployedResource, ResourceRefused } from './deployed-resources.ts';

export type StackStatus =
  | `${'CREATE' | 'UPDATE' | 'DELETE'}_COMPLETE`
  | `${'' | 'UPDATE_'}ROLLBACK_${'COMPLETE' | 'FAILED'}`
  | 'DELETE_FAILED';

export type DeploymentOptions = {
  location: StackLocation;
  limits?: AccountLimits;
  /** Decides which of the resources that could be next is the next one. From 0 to 1. */
  random: () => number;
  invoke: InvokeFunction;
  /** Why a resource cannot be created, for tests of a rollback. */
  creationProblem?: (logicalId: string, resource: Resource) => string | undefined;
  /** Why a resource cannot be deleted, such as objects in a bucket. */
  deletionProblem?: (logicalId: string, resource: Resource) => string | undefined;
};

type Result = { status: StackStatus; reasons: string[] };
/** What a deployment has changed, the first change first: what there was before. */
type Change = { logicalId: string; before: DeployedResource | undefined };

/**
 * A stack as CloudFormation deploys it: in any order that the references and `DependsOn` of its template allow, with
 * the functions of its custom resources, and back again when something fails. It creates no services: what exists is
 * what policies, names and limits are checked for.
 */
export function createStackDeployment(options: DeploymentOptions) {
  const { location, random, invoke } = options;
  const resources = createDeployedResources({ location, limits: options.limits ?? usualLimits });
  const { existing, attributes } = resources;
  const isCustom = ({ Type }: Resource): boolean => Type.startsWith('Custom::');
  let deployed: Template | undefined;
  let isProtected = false;

  const ask = (
    type: 'Create' | 'Update' | 'Delete',
    logicalId: string,
    {
      resourceType,
      properties,
      ...old
    }: Omit<Parameters<typeof askCustomResource>[0], 'type' | 'stackId' | 'logicalId'>,
  ) => askCustomResource({ type, stackId: stackId(location), logicalId, resourceType, properties, ...old }, invoke);

  /** Creates or updates a resource. @throws ResourceRefused, CustomResourceFailed */
  async function provide(logicalId: string, resource: Resource): Promise<void> {
    const before = existing.get(logicalId);
    const problem = options.creationProblem?.(logicalId, resource);
    if (problem) throw new ResourceRefused(logicalId, problem);
    if (before) existing.set(logicalId, { ...resource, ...(before.custom && { custom: before.custom }) });
    else resources.add(logicalId, resource);
    if (!isCustom(resource)) return;
    const properties = resources.present().resolve(resource.Properties ?? {}) as Record<string, unknown>;
    const old = before?.custom;
    if (old && isDeepStrictEqual(old.properties, properties)) return;
    const request = { resourceType: resource.Type, properties };
    try {
      const response = await (old
        ? ask('Update', logicalId, { ...request, physicalId: old.physicalId, oldProperties: old.properties })
        : ask('Create', logicalId, request));
      attributes.set(logicalId, response.attributes);
      existing.set(logicalId, { ...resource, custom: { physicalId: response.physicalId, properties } });
    } catch (error) {
      // The rollback deletes, or updates again, what the function may have done.
      const physicalId = (error instanceof CustomResourceFailed && error.physicalId) || old?.physicalId || logicalId;
      existing.set(logicalId, { ...resource, custom: { physicalId, properties } });
      throw error;
    }
  }

  /** @throws ResourceRefused, CustomResourceFailed */
  async function remove(logicalId: string, isRollbackOfCreation = false): Promise<void> {
    const resource = existing.get(logicalId)!;
    const { DeletionPolicy = 'Delete', Type, Properties = {}, custom } = resource;
    if (DeletionPolicy === 'Retain' || (DeletionPolicy === 'RetainExceptOnCreate' && !isRollbackOfCreation)) {
      return resources.retain(logicalId);
    }
    const problem =
      Properties.DeletionProtectionEnabled === true
        ? 'Resource cannot be deleted as it is currently protected against deletion'
        : options.deletionProblem?.(logicalId, resource);
    if (problem) throw new ResourceRefused(logicalId, problem);
    if (custom) await ask('Delete', logicalId, { resourceType: Type, ...custom });
    resources.delete(logicalId);
  }

  /** Deletes resources, each before those that it refers to. What cannot be deleted keeps those. */
  async function removeAll(logicalIds: readonly string[], template: Template, isRollback = false): Promise<string[]> {
    const dependencies = dependenciesOf(template);
    const reasons: string[] = [];
    const left = new Set(logicalIds);
    const blocked = new Set<string>();
    for (const logicalId of inOrder(dependencies, logicalIds, random).reverse()) {
      if (!blocked.has(logicalId)) {
        try {
          await remove(logicalId, isRollback);
          left.delete(logicalId);
          continue;
        } catch (error) {
          reasons.push((error as Error).message);
        }
      }
      for (const needed of dependencies.get(logicalId) ?? []) blocked.add(needed);
    }
    return reasons;
  }

  async function rollBack(changes: readonly Change[], template: Template): Promise<string[]> {
    const reasons: string[] = [];
    for (const { logicalId, before } of changes.filter((change) => change.before).reverse()) {
      try {
        const { custom, ...resource } = before!;
        if (isCustom(resource)) await provide(logicalId, resource);
        else existing.set(logicalId, before!);
      } catch (error) {
        reasons.push((error as Error).message);
      }
    }
    const created = changes.filter(({ before, logicalId }) => !before && existing.has(logicalId));
    return [
      ...reasons,
      ...(await removeAll(
        created.map(({ logicalId }) => logicalId),
        template,
        true,
      )),
    ];
  }

  return {
    resources,
    /** Creates the stack, or updates it if it exists. */
    async deploy(template: Template): Promise<Result> {
      const isUpdate = deployed !== undefined;
      const all = inOrder(dependenciesOf(template), Object.keys(template.Resources), random);
      const changes: Change[] = [];
      resources.useParametersOf(template);
      try {
        for (const logicalId of all) {
          changes.push({ logicalId, before: existing.get(logicalId) });
          await provide(logicalId, template.Resources[logicalId]!);
        }
      } catch (error) {
        const problems = await rollBack(changes, template);
        const end = problems.length === 0 ? 'COMPLETE' : 'FAILED';
        const status: StackStatus = isUpdate ? `UPDATE_ROLLBACK_${end}` : `ROLLBACK_${end}`;
        return { status, reasons: [(error as Error).message, ...problems] };
      }
      const gone = [...existing.keys()].filter((logicalId) => !Object.hasOwn(template.Resources, logicalId));
      // What an update cannot delete leaves the stack all the same.
      const reasons = deployed ? await removeAll(gone, deployed) : [];
      for (const logicalId of gone) resources.delete(logicalId);
      deployed = template;
      return { status: isUpdate ? 'UPDATE_COMPLETE' : 'CREATE_COMPLETE', reasons };
    },
    /** Switches the termination protection of the stack. */
    protect(enabled: boolean): void {
      isProtected = enabled;
    },
    /** Deletes the stack. What cannot be deleted stays, and what it refers to. */
    async destroy(): Promise<Result> {
      if (isProtected) return { status: 'DELETE_FAILED', reasons: ['TerminationProtection is enabled'] };
      const reasons = deployed ? await removeAll([...existing.keys()], deployed) : [];
      if (reasons.length > 0) return { status: 'DELETE_FAILED', reasons };
      deployed = undefined;
      return { status: 'DELETE_COMPLETE', reasons };
    },
  };
}

export type StackDeployment = ReturnType<typeof createStackDeployment>;

/** The resources, each after those that it depends on, and otherwise at random. */
function inOrder(
  dependencies: Map<string, Set<string>>,
  logicalIds: readonly string[],
  random: () => number,
): string[] {
  const waiting = new Set(logicalIds);
  const order: string[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter((id) => ![...(dependencies.get(id) ?? [])].some((needed) => waiting.has(needed)));
    const next = ready[Math.floor(random() * ready.length)]!;
    waiting.delete(next);
    order.push(next);
  }
  return order;
}
