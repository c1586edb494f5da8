import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import { entriesOf, type Query } from '../query/query.ts';
import { addRendition, type RenditionKey, removeRendition, setRendition } from '../query/query-changes.ts';
import { errorsOfRendition, type PathError } from '../query/query-errors.ts';
import { fieldText } from '../query/query-form.ts';
import type { TemplateOptions } from './template-options.ts';

type RenditionsProps = {
  query: Query;
  errors: readonly PathError[];
  options: TemplateOptions;
  isReadOnly: boolean;
  onQuery(query: Query): void;
};

const keys: RenditionKey[] = ['width', 'height', 'bitrate'];

/** The video streams of a template without a ladder. */
export function Renditions({ query, errors, options, isReadOnly, onQuery }: RenditionsProps) {
  const { templates: messages } = text.value;
  const video = entriesOf(query, 'video');
  return (
    <fieldset>
      <legend>{messages.renditions}</legend>
      <ol class="renditions query-wide">
        {video.map((entry, index) => (
          <li key={index}>
            <p class="rendition-name">
              <code>{fieldText(entry.name)}</code>
            </p>
            {keys.map((key) => (
              <TextField
                key={key}
                label={messages.renditionFields[key]}
                aria-label={messages.renditionField(messages.renditionFields[key], index + 1)}
                inputMode={key === 'bitrate' ? 'text' : 'numeric'}
                readOnly={isReadOnly}
                value={fieldText(entry[key])}
                onValue={(value) => onQuery(setRendition(query, index, key, value))}
                errors={errorsOfRendition(errors, index, key)}
              />
            ))}
            {!isReadOnly && video.length > 1 && (
              <Button
                onClick={() => onQuery(removeRendition(query, index))}
                aria-label={messages.removeRendition(fieldText(entry.name))}
              >
                {messages.remove}
              </Button>
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && video.length < options.maxVideoStreams && (
        <div class="query-wide">
          <Button onClick={() => onQuery(addRendition(query, options.resolutions))}>{messages.addRendition}</Button>
        </div>
      )}
    </fieldset>
  );
}
