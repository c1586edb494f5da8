import { useId } from 'preact/hooks';
import { session } from '../../api/current-user.ts';
import { Checkbox } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import { eventsBySubject, type WebhookForm } from './webhook-form.ts';

type EventChoiceProps = {
  form: WebhookForm;
  onChange(changes: Partial<WebhookForm>): void;
  errors: readonly string[];
};

/** All events, or some of them. */
export function EventChoice({ form, onChange, errors }: EventChoiceProps) {
  const messages = text.value.webhooks;
  const errorsId = useId();
  const toggle = (event: string, isChosen: boolean): void =>
    onChange({ events: isChosen ? [...form.events, event] : form.events.filter((chosen) => chosen !== event) });
  const subjects = [...eventsBySubject].filter(([subject]) => subject !== 'node' || session.value?.is_admin === true);
  return (
    <fieldset class="event-choice" {...(errors.length > 0 && { 'aria-describedby': errorsId })}>
      <legend>{messages.events}</legend>
      <Checkbox
        label={messages.allEvents}
        isChecked={form.hasAllEvents}
        onChecked={(hasAllEvents) => onChange({ hasAllEvents })}
      />
      {form.hasAllEvents ? (
        <p class="hint">{messages.allEventsHint}</p>
      ) : (
        <div class="event-subjects">
          {subjects.map(([subject, events]) => (
            <fieldset key={subject}>
              <legend>{messages.subjects[subject]}</legend>
              {events.map((event) => (
                <Checkbox
                  key={event}
                  label={event}
                  isChecked={form.events.includes(event)}
                  onChecked={(isChosen) => toggle(event, isChosen)}
                />
              ))}
            </fieldset>
          ))}
        </div>
      )}
      {errors.length > 0 && (
        <p class="field-errors" id={errorsId}>
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  );
}
