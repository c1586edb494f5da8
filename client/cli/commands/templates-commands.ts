import { bodyOf } from '../../api.ts';
import { textOption } from '../arguments/read-options.ts';
import { exitCode } from '../exit-code.ts';
import { printable, table } from '../output/text.ts';
import type { Session } from '../session.ts';

/** `templates`. @returns the exit code, as all commands here */
export async function templatesCommand({ client, reporter, signal }: Session): Promise<number> {
  const [{ data: templates }, { data: presets }] = await Promise.all([
    bodyOf(client.api.GET('/api/templates', { signal })),
    bodyOf(client.api.GET('/api/template-presets', { signal })),
  ]);
  const rows = templates.map(({ ulid, id, name, shared }) => [
    ulid,
    String(id),
    shared ? `${printable(name)} (shared)` : printable(name),
  ]);
  const lines = [
    ...(rows.length > 0 ? table([['ULID', 'ID', 'NAME'], ...rows]) : ['There are no templates yet.']),
    '',
    'Presets, of which templates are made by: open-video-service templates adopt PRESET',
    ...table(presets.map(({ slug, name }) => [`  ${slug}`, name])),
  ];
  reporter.result({ templates, presets }, lines);
  return exitCode.ok;
}

/** `templates adopt PRESET` */
export async function adoptPresetCommand({ operands, options, client, reporter, signal }: Session): Promise<number> {
  const name = textOption(options, 'name');
  const call = client.api.POST('/api/template-presets/{slug}/adopt', {
    params: { path: { slug: operands[0]! } },
    body: name === undefined ? {} : { name },
    signal,
  });
  const { data, warnings } = await bodyOf(call);
  const made = `The template '${printable(data.name)}' has the ULID ${data.ulid}`;
  reporter.result(data, [made, ...warnings.map((warning) => `Warning: ${warning}`)]);
  return exitCode.ok;
}
