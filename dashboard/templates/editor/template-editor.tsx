import { useState } from 'preact/hooks';
import { bodyOf } from '../../../client/api.ts';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Checkbox, TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { useUnsaved } from '../../layout/use-unsaved.ts';
import { text } from '../../messages/messages.ts';
import { DeleteTemplate } from '../list/delete-template.tsx';
import { type Source, sourcePresets } from '../preview/preview-source.ts';
import { firstSource } from '../preview/source-choice.tsx';
import { TemplatePreview } from '../preview/template-preview.tsx';
import { useEstimate } from '../preview/use-estimate.ts';
import { parseQuery, type Query, queryJson } from '../query/query.ts';
import { type ErrorsByPath, queryErrors } from '../query/query-errors.ts';
import { EditorTabs } from './editor-tabs.tsx';
import type { TemplateOptions } from './template-options.ts';

type Start = { name: string; query: Query; shared: boolean; ulid: string | undefined };

type TemplateEditorProps = {
  start: Start;
  /** what the stored query makes that may be unexpected */
  warnings: readonly string[];
  options: TemplateOptions;
  isAdmin: boolean;
  onSaved(ulid: string): void;
  onDeleted(): void;
};

/** The text of the JSON is the only copy of the query: the form reads and changes it, so that both show the same. */
export function TemplateEditor({ start, warnings, options, isAdmin, onSaved, onDeleted }: TemplateEditorProps) {
  const { templates: messages, common } = text.value;
  const [name, setName] = useState(start.name);
  const [shared, setShared] = useState(start.shared);
  const [json, setJson] = useState(() => queryJson(start.query));
  const [saved, setSaved] = useState({ name, shared, json });
  const [source, setSource] = useState<Source | undefined>(sourcePresets[firstSource]);
  const [isDeleting, setIsDeleting] = useState(false);
  const { ulid } = start;
  const parsed = parseQuery(json);
  const isChanged = name !== saved.name || shared !== saved.shared || json !== saved.json;
  useUnsaved(isChanged);
  const canChange = ulid === undefined || !start.shared || isAdmin;

  const body = { name, query: parsed.query ?? {}, ...(isAdmin && shared !== saved.shared && { shared }) };
  const save = useAction(async () => {
    const { data } = await bodyOf(sendTemplate(ulid, body));
    announce(ulid === undefined ? messages.created(data.name) : common.saved);
    setSaved({ name: data.name, shared: data.shared, json });
    setName(data.name);
    onSaved(data.ulid);
  });
  const errors: ErrorsByPath = fieldErrors(save.error);
  const preview = useEstimate(parsed.query, source);
  // The estimate checks the query while it is edited.
  const faults = queryErrors(Object.keys(errors).length > 0 ? errors : fieldErrors(preview.error));
  const edit = (change: () => void): void => {
    save.clearError();
    change();
  };

  return (
    <>
      {!canChange && <p class="notice">{messages.sharedReadOnly}</p>}
      <form class="stack" noValidate onSubmit={onSubmit(() => save.run())}>
        <div class="form">
          <TextField
            label={common.name}
            name="name"
            value={name}
            onValue={(value) => edit(() => setName(value))}
            errors={errors.name}
            readOnly={!canChange}
          />
          {isAdmin && (
            <Checkbox
              label={messages.shareWithAll}
              isChecked={shared}
              onChecked={(isChecked) => edit(() => setShared(isChecked))}
            />
          )}
        </div>
        <div class="template-columns">
          <EditorTabs
            json={json}
            parsed={parsed}
            errors={faults}
            options={options}
            isReadOnly={!canChange}
            onJson={(json) => edit(() => setJson(json))}
          />
          <TemplatePreview query={parsed.query} source={source} preview={preview} onSource={setSource} />
        </div>
        {warnings.length > 0 && (
          <div class="notice" role="status">
            {warnings.map((warning) => (
              <p key={warning} lang="en">
                {warning}
              </p>
            ))}
          </div>
        )}
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : save.error} />
        {canChange && (
          <div class="row editor-actions">
            <Button
              type="submit"
              variant="primary"
              isBusy={save.isRunning}
              disabled={parsed.query === undefined || (ulid !== undefined && !isChanged)}
            >
              {ulid === undefined ? messages.createTemplate : common.save}
            </Button>
            {ulid !== undefined && (
              <Button variant="quiet" onClick={() => setIsDeleting(true)}>
                {common.delete}
              </Button>
            )}
            {ulid !== undefined && <p class="hint">{messages.saveEffect}</p>}
          </div>
        )}
      </form>
      {isDeleting && ulid !== undefined && (
        <DeleteTemplate
          template={{ ulid, name: saved.name, shared: saved.shared }}
          onDeleted={onDeleted}
          onClose={() => setIsDeleting(false)}
        />
      )}
      {ulid === undefined ? (
        <ApiCall method="POST" path="/api/templates" body={body} />
      ) : (
        <ApiCall method="PUT" path="/api/templates/{id}" params={{ id: ulid }} body={body} />
      )}
    </>
  );
}

type TemplateBody = { name: string; query: Query; shared?: boolean };

/** The API checks the query, which may be any JSON here. */
const sendTemplate = (ulid: string | undefined, body: TemplateBody) =>
  ulid === undefined
    ? api.POST('/api/templates', { body: body as never })
    : api.PUT('/api/templates/{id}', { params: { path: { id: ulid } }, body: body as never });
