import { basename } from 'node:path';
import { bodyOf } from '../../api.ts';
import { presetWithTexts } from '../../texts/describe-codes.ts';
import { readOperand } from '../arguments/read-operand.ts';
import { textOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { CommandError, exitCode, usageError } from '../exit-code.ts';
import { printable, table } from '../output/text.ts';
import type { Template } from '../service/find-template.ts';

/** `templates`. @returns the exit code, as all commands here */
export async function templatesCommand({ client, reporter, signal, words }: CliRun): Promise<number> {
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
    ...table(presets.map((preset) => [`  ${preset.slug}`, presetWithTexts(words.codes, preset).name])),
  ];
  reporter.result({ templates, presets }, lines);
  return exitCode.ok;
}

/** `templates adopt PRESET`. A name that one of the user's templates has is not given to a second one. */
export async function adoptPresetCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const slug = operands[0]!;
  const { data: presets } = await bodyOf(client.api.GET('/api/template-presets', { signal }));
  const preset = presets.find((known) => known.slug === slug);
  if (!preset)
    throw usageError(`There is no preset '${slug}'. Presets: ${presets.map((known) => known.slug).join(', ')}`);
  const name = textOption(options, 'name') ?? preset.name;
  const { data: templates } = await bodyOf(client.api.GET('/api/templates', { signal }));
  const existing = templates.find((known) => known.name === name);
  if (existing) return keepExisting(existing, options, reporter);
  const call = client.api.POST('/api/template-presets/{slug}/adopt', {
    params: { path: { slug } },
    body: { name },
    signal,
  });
  const { data, warnings } = await bodyOf(call);
  const made = `The template '${printable(data.name)}' has the ULID ${data.ulid}`;
  reporter.result(data, [made, ...warnings.map((warning) => `Warning: ${warning}`)]);
  return exitCode.ok;
}

function keepExisting(existing: Template, options: CliRun['options'], reporter: CliRun['reporter']): number {
  const { name, ulid } = existing;
  if (!options['if-missing']) {
    const advice = 'Use it, pass another --name, or --if-missing to keep it without an error.';
    throw new CommandError(exitCode.failed, `The template '${name}' exists, with the ULID ${ulid}. ${advice}`);
  }
  reporter.result(existing, [`The template '${printable(name)}' exists, with the ULID ${ulid}`]);
  return exitCode.ok;
}

/** `images` */
export async function imagesCommand({ client, reporter, signal, words }: CliRun): Promise<number> {
  const { data } = await bodyOf(client.api.GET('/api/images', { signal }));
  const rows = data.map(({ ulid, width, height, name }) => [ulid, `${width} × ${height}`, printable(name)]);
  const { columns } = words;
  reporter.result({ data }, table([['ULID', columns.size, columns.name], ...rows]));
  return exitCode.ok;
}

/** `images add FILE` */
export async function addImageCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const path = operands[0]!;
  const name = textOption(options, 'name') ?? basename(path);
  const image = await client.uploadImage(new Blob([await readOperand(path)]), { name, signal });
  reporter.result(image, [image.ulid]);
  return exitCode.ok;
}

/** `images delete ULID` */
export async function deleteImageCommand({ operands, client, reporter, signal }: CliRun): Promise<number> {
  const ulid = operands[0]!;
  await client.api.DELETE('/api/images/{ulid}', { params: { path: { ulid } }, signal });
  reporter.result({ ulid }, [`${printable(ulid)}: deleted`]);
  return exitCode.ok;
}
