import { expect, test } from 'vitest';
import { NotFound, Unauthenticated } from '../../../../functions/common/errors.ts';
import { changePassword, hideUser } from '../../../../functions/table/accounts/user-table.ts';
import { createTemplate, deleteTemplate, updateTemplate } from '../../../../functions/table/template-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

test('a change of a template that is being deleted finds no template', async () => {
  const { user } = await createPerson();
  const template = await createTemplate(user.ulid, { name: 'Web', query: {} });
  await deleteTemplate(template, user);
  await expect(updateTemplate(template, { name: 'Other' }, user)).rejects.toThrow(NotFound);
});

test('a new password for an account that is being deleted does not sign in', async () => {
  const { user } = await createPerson();
  await hideUser(user, (await createPerson()).user);
  await expect(changePassword(user, 'x')).rejects.toThrow(Unauthenticated);
  await expect(changePassword(user, 'x', (await createPerson()).user)).rejects.toThrow(NotFound);
});
