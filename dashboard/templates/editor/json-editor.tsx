import { useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { TextArea } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import { findInJson, lineOf } from '../query/json-position.ts';
import { type Parsed, queryJson } from '../query/query.ts';
import type { PathError } from '../query/query-errors.ts';

type JsonEditorProps = {
  json: string;
  parsed: Parsed;
  errors: readonly PathError[];
  isReadOnly: boolean;
  onJson(json: string): void;
};

export function JsonEditor({ json, parsed, errors, isReadOnly, onJson }: JsonEditorProps) {
  const { templates: messages } = text.value;
  const box = useRef<HTMLDivElement>(null);
  const isValid = parsed.query !== undefined;

  const show = (path: string): void => {
    const area = box.current!.querySelector('textarea')!;
    const { start, end } = findInJson(json, path.split('.'));
    area.focus();
    area.setSelectionRange(start, end);
    const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
    area.scrollTop = (lineOf(json, start) - 3) * lineHeight;
  };
  return (
    <div class="json-editor" ref={box}>
      {!isValid && (
        <p class="path-errors" role="alert">
          {messages.notJson(parsed.fault)}
        </p>
      )}
      {errors.length > 0 && (
        <div role="alert">
          <ul class="path-errors">
            {errors.map(({ path, messages: faults }) => (
              <li key={path}>
                <p>
                  <code>{path === '' ? messages.query : path}</code> {faults.join(' ')}
                </p>
                {isValid && (
                  <Button onClick={() => show(path)}>
                    {messages.showLine(lineOf(json, findInJson(json, path.split('.')).start))}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      <TextArea
        label={messages.query}
        hint={messages.jsonHint}
        name="query"
        aria-invalid={!isValid}
        rows={24}
        spellcheck={false}
        autocapitalize="off"
        wrap="off"
        readOnly={isReadOnly}
        value={json}
        onValue={onJson}
      />
      {isValid && !isReadOnly && json !== queryJson(parsed.query) && (
        <div>
          <Button onClick={() => onJson(queryJson(parsed.query))}>{messages.formatJson}</Button>
        </div>
      )}
    </div>
  );
}
