import { bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { textOption, textsOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, usageError } from '../exit-code.ts';
import { printable, table } from '../output/text.ts';

type Ability = components['schemas']['TokenAbility'];

/** `tokens`. @returns the exit code, as all commands here */
export async function tokensCommand({ client, reporter, signal, words }: CliRun): Promise<number> {
  const { data } = await bodyOf(client.api.GET('/api/tokens', { signal }));
  const { columns } = words;
  const minute = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? '-';
  const rows = data.map(({ id, name, abilities, expires_at, last_used_at }) => [
    String(id),
    minute(expires_at),
    minute(last_used_at),
    abilities.join(','),
    printable(name),
  ]);
  reporter.result(
    { data },
    table([['ID', columns.expires, columns.lastUsed, columns.abilities, columns.name], ...rows]),
  );
  return exitCode.ok;
}

/** `tokens create NAME`. The service names the abilities that there are if it does not know one. */
export async function createTokenCommand({ operands, options, client, reporter, signal }: CliRun): Promise<number> {
  const abilities = textsOption(options, 'ability') as Ability[] | undefined;
  const expires = textOption(options, 'expires');
  const body = {
    name: operands[0]!,
    ...(abilities && { abilities }),
    ...(expires !== undefined && { expires_at: timeOf(expires) }),
  };
  const created = await bodyOf(client.api.POST('/api/tokens', { body, signal }));
  reporter.result(created, [created.token]);
  reporter.note('Keep the token now: it is not shown again.');
  return exitCode.ok;
}

/** `tokens delete ID` */
export async function deleteTokenCommand({ operands, client, reporter, signal }: CliRun): Promise<number> {
  const id = operands[0]!;
  // The text of a token begins with its ID, and would otherwise appear in the log of the service.
  if (!/^[1-9]\d*$/.test(id)) throw usageError('The ID of a token is a number, which the command tokens shows.');
  await client.api.DELETE('/api/tokens/{id}', { params: { path: { id } }, signal });
  reporter.result({ id: Number(id) }, [`${id}: revoked`]);
  return exitCode.ok;
}

const unitSeconds: Record<string, number> = { h: 3600, d: 24 * 3600 };

/** An instant from `30d` or `12h`. Other texts are times, which the service reads. */
function timeOf(text: string): string {
  const [, count, unit = ''] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  return count === undefined ? text : new Date(Date.now() + Number(count) * unitSeconds[unit]! * 1000).toISOString();
}
