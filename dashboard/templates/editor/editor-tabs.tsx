import { useId, useRef, useState } from 'preact/hooks';
import { text } from '../../messages/messages.ts';
import { type Parsed, queryJson } from '../query/query.ts';
import { otherErrors, type PathError } from '../query/query-errors.ts';
import { JsonEditor } from './json-editor.tsx';
import { QueryFields } from './query-fields.tsx';
import type { TemplateOptions } from './template-options.ts';

type EditorTabsProps = {
  json: string;
  parsed: Parsed;
  errors: readonly PathError[];
  options: TemplateOptions;
  isReadOnly: boolean;
  onJson(json: string): void;
};

const tabs = ['form', 'json'] as const;
type Tab = (typeof tabs)[number];

/** The same query as a form and as JSON. */
export function EditorTabs({ json, parsed, errors, options, isReadOnly, onJson }: EditorTabsProps) {
  const { templates: messages } = text.value;
  const [tab, setTab] = useState<Tab>('form');
  const id = useId();
  const buttons = useRef<Record<Tab, HTMLButtonElement | null>>({ form: null, json: null });
  const select = (tab: Tab): void => {
    setTab(tab);
    buttons.current[tab]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const other = tab === 'form' ? 'json' : 'form';
    if (['ArrowLeft', 'ArrowRight'].includes(event.key)) select(other);
    else if (event.key === 'Home') select('form');
    else if (event.key === 'End') select('json');
    else return;
    event.preventDefault();
  };
  const others = otherErrors(errors);
  return (
    <div class="card">
      <div class="tabs" role="tablist" aria-label={messages.editor} onKeyDown={onKeyDown} tabIndex={-1}>
        {tabs.map((name) => (
          <button
            key={name}
            ref={(button) => {
              buttons.current[name] = button;
            }}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-controls={`${id}-panel`}
            aria-selected={tab === name}
            tabIndex={tab === name ? 0 : -1}
            onClick={() => setTab(name)}
          >
            {messages.tabs[name]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} class="stack">
        {tab === 'json' ? (
          <JsonEditor json={json} parsed={parsed} errors={errors} isReadOnly={isReadOnly} onJson={onJson} />
        ) : parsed.query === undefined ? (
          <p class="notice notice-error">{messages.formNeedsJson}</p>
        ) : (
          <>
            <QueryFields
              query={parsed.query}
              errors={errors}
              options={options}
              isReadOnly={isReadOnly}
              onQuery={(query) => onJson(queryJson(query))}
            />
            {others.length > 0 && (
              <div class="notice notice-error" role="alert">
                <p>{messages.otherErrors}</p>
                <ul>
                  {others.map(({ path, messages }) => (
                    <li key={path}>
                      <code>{path}</code> {messages.join(' ')}
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
      </div>
    </div>
  );
}
