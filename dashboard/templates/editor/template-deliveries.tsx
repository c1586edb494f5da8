import '../../storages/storages.css';
import { useStorages } from '../../api/use-storages.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../messages/messages.ts';
import { DeliveryFields } from '../../storages/delivery-fields.tsx';
import type { Query } from '../query/query.ts';
import { addDelivery, outputNames, readDeliveries, removeDelivery, setDelivery } from '../query/query-deliveries.ts';
import { errorsOfDeliveries, errorsOfDelivery, type PathError } from '../query/query-errors.ts';

type TemplateDeliveriesProps = {
  query: Query;
  errors: readonly PathError[];
  maxDeliveries: number;
  isReadOnly: boolean;
  onQuery(query: Query): void;
};

/** The storages to which completed videos are copied. */
export function TemplateDeliveries({ query, errors, maxDeliveries, isReadOnly, onQuery }: TemplateDeliveriesProps) {
  const { template: messages } = text.value.storageDeliveries;
  const { data, error, reload } = useStorages();
  const deliveries = readDeliveries(query);
  const storages = data?.data;
  const listErrors = errorsOfDeliveries(errors);
  if (isReadOnly && deliveries.length === 0) return null;
  /** The service refuses such a template when it is saved, for the list as a whole. */
  const errorsOfStorage = (storage: string, index: number): string[] => {
    const isGone = storages !== undefined && storage !== '' && !storages.some(({ ulid }) => ulid === storage);
    return [...errorsOfDelivery(errors, index, 'storage'), ...(isGone ? [messages.storageGone] : [])];
  };
  return (
    <fieldset>
      <legend>{messages.title}</legend>
      <p class="hint query-wide">{messages.hint}</p>
      <ErrorNotice error={error} onRetry={reload} />
      {deliveries.length > 0 && (
        <ol class="template-deliveries query-wide">
          {deliveries.map((delivery, index) => (
            <li key={index}>
              <fieldset class="template-delivery">
                <legend>{messages.one(index + 1)}</legend>
                <DeliveryFields
                  target={delivery}
                  storages={storages}
                  outputNames={outputNames(query)}
                  isReadOnly={isReadOnly}
                  errors={{
                    storage: errorsOfStorage(delivery.storage, index),
                    path: errorsOfDelivery(errors, index, 'path'),
                    outputs: errorsOfDelivery(errors, index, 'outputs'),
                    also: errorsOfDelivery(errors, index, 'also'),
                  }}
                  onChange={(changes) => onQuery(setDelivery(query, index, changes))}
                />
                {!isReadOnly && (
                  <div class="query-wide">
                    <Button
                      onClick={() => onQuery(removeDelivery(query, index))}
                      aria-label={messages.removeOne(index + 1)}
                    >
                      {text.value.templates.remove}
                    </Button>
                  </div>
                )}
              </fieldset>
            </li>
          ))}
        </ol>
      )}
      <div class="query-wide">
        {listErrors.length > 0 && (
          <p class="field-errors" role="alert">
            {listErrors.join(' ')}
          </p>
        )}
        {storages?.length === 0 && (
          <p>
            {messages.none} <a href="/storages">{messages.toStorages}</a>
          </p>
        )}
        {!isReadOnly && storages !== undefined && storages.length > 0 && deliveries.length < maxDeliveries && (
          <Button onClick={() => onQuery(addDelivery(query, storages[0]!.ulid))}>{messages.add}</Button>
        )}
      </div>
    </fieldset>
  );
}
