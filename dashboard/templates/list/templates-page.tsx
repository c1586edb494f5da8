import '../templates.css';
import { useState } from 'preact/hooks';
import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { session } from '../../api/current-user.ts';
import { useResource } from '../../api/use-resource.ts';
import { ActionMenu } from '../../components/action-menu.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { formatDate } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { DeleteTemplate } from './delete-template.tsx';
import { Presets } from './presets.tsx';
import { SummaryList } from './summary-list.tsx';

type Template = components['schemas']['Template'];

export function TemplatesPage() {
  const { templates: messages } = text.value;
  const { data, error, reload } = useResource((signal) => api.GET('/api/templates', { signal }), { key: 'templates' });
  return (
    <>
      <PageTitle title={messages.title}>
        <a class="button button-primary" href="/templates/new">
          {messages.newTemplate}
        </a>
      </PageTitle>
      <p class="hint">{messages.hint}</p>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data?.data.length === 0 && (
        <EmptyState title={messages.none}>
          <p>{messages.noneHint}</p>
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && (
        <ul class="template-list">
          {data.data.map((template) => (
            <TemplateRow key={template.ulid} template={template} onDeleted={reload} />
          ))}
        </ul>
      )}
      <ApiCall method="GET" path="/api/templates" />
      <Presets />
    </>
  );
}

function TemplateRow({ template, onDeleted }: { template: Template; onDeleted(): void }) {
  const { templates: messages, common } = text.value;
  const [isAsking, setIsAsking] = useState(false);
  const { ulid, name, shared, query, created_at } = template;
  const canChange = !shared || session.value?.is_admin === true;
  return (
    <li>
      <div class="template-properties">
        <p class="row">
          <a class="template-name" href={`/templates/${ulid}`}>
            {name}
          </a>
          {shared && <span class="badge">{messages.shared}</span>}
          {!canChange && <span class="badge">{messages.readOnly}</span>}
        </p>
        <SummaryList query={query} />
      </div>
      <p class="hint">{messages.createdOn(formatDate(created_at))}</p>
      <ActionMenu label={messages.actionsFor(name)}>
        <a class="button button-quiet" href={`/templates/new?from=${ulid}`}>
          {messages.duplicate}
        </a>
        {canChange && (
          <Button variant="quiet" onClick={() => setIsAsking(true)}>
            {common.delete}
          </Button>
        )}
      </ActionMenu>
      {isAsking && <DeleteTemplate template={template} onDeleted={onDeleted} onClose={() => setIsAsking(false)} />}
    </li>
  );
}
