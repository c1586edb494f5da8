import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { session } from '../api/current-user.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Checkbox, TextField } from '../components/field.tsx';
import { ShownOnce } from '../components/shown-once.tsx';
import { onSubmit } from '../components/submit.ts';
import type { Messages } from '../messages/en.ts';
import { text } from '../messages/messages.ts';

type Ability = keyof Messages['account']['abilities'];
type NewTokenDialogProps = { onCreated(): void; onClose(): void };

/** The secret is only in the state of this dialog, and gone when it closes. */
export function NewTokenDialog({ onCreated, onClose }: NewTokenDialogProps) {
  const { account: messages, common } = text.value;
  const [name, setName] = useState('');
  /** Undefined: everything. */
  const [abilities, setAbilities] = useState<Ability[]>();
  const [lastDay, setLastDay] = useState('');
  const [token, setToken] = useState<string>();
  const body = {
    name,
    ...(abilities && { abilities }),
    ...(lastDay !== '' && { expires_at: new Date(`${lastDay}T23:59:59`).toISOString() }),
  };
  const create = useAction(async () => {
    setToken((await bodyOf(api.POST('/api/tokens', { body }))).token);
    onCreated();
  });
  const errors = fieldErrors(create.error);
  return (
    <Dialog title={token === undefined ? messages.newToken : messages.tokenIs(name)} onClose={onClose}>
      {token === undefined ? (
        <form class="form" noValidate onSubmit={onSubmit(() => create.run())}>
          <TextField
            label={common.name}
            hint={messages.tokenNameHint}
            name="token-name"
            autocomplete="off"
            value={name}
            onValue={setName}
            errors={errors.name}
          />
          <AbilityChoice abilities={abilities} onAbilities={setAbilities} errors={errors.abilities} />
          <TextField
            label={messages.tokenLastDay}
            hint={messages.tokenLastDayHint}
            isOptional
            type="date"
            value={lastDay}
            onValue={setLastDay}
            errors={errors.expires_at}
          />
          <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : create.error} />
          <ApiCall method="POST" path="/api/tokens" body={body} />
          <div class="dialog-actions">
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button type="submit" variant="primary" isBusy={create.isRunning}>
              {common.create}
            </Button>
          </div>
        </form>
      ) : (
        <ShownOnce
          notice={messages.tokenOnce}
          label={messages.token}
          value={token}
          copyLabel={messages.copyToken}
          closeLabel={messages.tokenKept}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

type AbilityChoiceProps = {
  abilities: Ability[] | undefined;
  onAbilities(abilities: Ability[] | undefined): void;
  errors: readonly string[] | undefined;
};

/** Everything, or a choice of abilities. Only administrators see that of administrators. */
function AbilityChoice({ abilities, onAbilities, errors }: AbilityChoiceProps) {
  const { account: messages } = text.value;
  const all = (Object.keys(messages.abilities) as Ability[]).filter(
    (ability) => ability !== 'admin' || session.value?.is_admin,
  );
  return (
    <fieldset class="fieldset">
      <legend>{messages.tokenRights}</legend>
      <Checkbox
        label={messages.everything}
        isChecked={abilities === undefined}
        onChecked={(isEverything) => onAbilities(isEverything ? undefined : [])}
      />
      {abilities !== undefined &&
        all.map((ability) => (
          <Checkbox
            key={ability}
            label={messages.abilities[ability]}
            isChecked={abilities.includes(ability)}
            onChecked={(isChosen) =>
              onAbilities(all.filter((one) => (one === ability ? isChosen : abilities.includes(one))))
            }
          />
        ))}
      {errors && (
        <p class="field-errors" role="alert">
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  );
}
