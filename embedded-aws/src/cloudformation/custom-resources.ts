import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readJson, writeWhole } from '../durable/whole-file.ts';
import type { DeployedTemplate } from '../template/deployed-template.ts';
import { askCustomResource, type InvokeFunction } from './ask-custom-resource.ts';

const attributes = z.record(z.string(), z.string());
const resource = z.object({ physicalId: z.string(), properties: z.record(z.string(), z.unknown()), attributes });
/** Folders of earlier versions have the attributes alone: such a resource is not updated. */
const stored = z.record(
  z.string(),
  z.union([resource, attributes.transform((old) => ({ physicalId: '', properties: undefined, attributes: old }))]),
);

export type CustomResourcesOptions = {
  template: Pick<DeployedTemplate, 'customResources' | 'customAttributes'>;
  /** Keeps the resources, whose attributes may be secrets. */
  file: string;
  stackId: string;
  invoke: InvokeFunction;
};

/**
 * Creates the custom resources of a template that do not exist yet, updates those whose properties have changed, and
 * makes their attributes known. Those that the template has no more are left: their functions are gone too.
 */
export async function createCustomResources(options: CustomResourcesOptions): Promise<void> {
  const { template, file, stackId, invoke } = options;
  const known = new Map(Object.entries((await readJson(file, stored.parse)) ?? {}));
  for (const { logicalId, type: resourceType, properties: resolve } of template.customResources) {
    const properties = resolve();
    const existing = known.get(logicalId);
    const { physicalId, properties: oldProperties } = existing ?? {};
    const isChanged = oldProperties !== undefined && !isDeepStrictEqual(oldProperties, properties);
    if (!existing || isChanged) {
      const request = { stackId, logicalId, resourceType, properties };
      const response = await askCustomResource(
        isChanged
          ? { ...request, type: 'Update', physicalId: String(physicalId), oldProperties }
          : { ...request, type: 'Create' },
        invoke,
      );
      known.set(logicalId, { ...response, properties });
      await writeWhole(file, JSON.stringify(Object.fromEntries(known)));
    }
    template.customAttributes.set(logicalId, known.get(logicalId)!.attributes);
  }
}
