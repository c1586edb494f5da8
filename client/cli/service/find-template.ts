import { type Api, bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { usageError } from '../exit-code.ts';

export type Template = components['schemas']['Template'];

/** The template with this ULID, id or name. @throws CommandError when there is none, or several of this name */
export async function findTemplate(api: Api, wanted: string | undefined): Promise<Template> {
  if (wanted === undefined) {
    throw usageError(
      'The template is missing: pass --template with its name, ULID or id. They are listed by: open-video-service templates',
    );
  }
  const { data } = await bodyOf(api.GET('/api/templates'));
  const found = selectTemplates(data, wanted);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const ulids = found.map(({ ulid }) => ulid).join(', ');
    throw usageError(`${found.length} templates have the name '${wanted}'. Pass the ULID of one: ${ulids}`);
  }
  const presets = (await bodyOf(api.GET('/api/template-presets'))).data;
  if (presets.some(({ slug }) => slug === wanted)) {
    throw usageError(
      `'${wanted}' is a preset. Create a template from it first: open-video-service templates adopt ${wanted}`,
    );
  }
  throw usageError(`There is no template '${wanted}'. Templates are listed by: open-video-service templates`);
}

/** By ULID, else by id, else by the exact name, else by the name in other case. */
export function selectTemplates<One extends Pick<Template, 'ulid' | 'id' | 'name'>>(
  templates: readonly One[],
  wanted: string,
): One[] {
  const upper = wanted.toUpperCase();
  const lower = wanted.toLowerCase();
  const candidates = [
    templates.filter(({ ulid }) => ulid === upper),
    templates.filter(({ id }) => String(id) === wanted),
    templates.filter(({ name }) => name === wanted),
    templates.filter(({ name }) => name.toLowerCase() === lower),
  ];
  return candidates.find((found) => found.length > 0) ?? [];
}
