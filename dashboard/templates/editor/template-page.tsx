import '../templates.css';
import type { ComponentChildren } from 'preact';
import { useLocation, useRoute } from 'preact-iso';
import { ApiError } from '../../../client/api-error.ts';
import type { components } from '../../../client/api-types.ts';
import { api } from '../../api/client.ts';
import { session } from '../../api/current-user.ts';
import { useResource } from '../../api/use-resource.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { NotFound } from '../../layout/not-found.tsx';
import { text } from '../../messages/messages.ts';
import { newQuery } from '../query/query-changes.ts';
import { TemplateEditor } from './template-editor.tsx';
import { readOptions } from './template-options.ts';

/** An empty template, or a copy of the one that the address names. */
export function NewTemplatePage() {
  const { templates: messages } = text.value;
  const { from } = useLocation().query;
  if (from !== undefined) {
    return (
      <LoadedTemplate id={from}>
        {({ name, query }) => (
          <TemplateScreen
            title={messages.newTemplate}
            start={{ name: messages.copyOf(name), query, shared: false, ulid: undefined }}
          />
        )}
      </LoadedTemplate>
    );
  }
  return (
    <TemplateScreen
      title={messages.newTemplate}
      start={{ name: '', query: newQuery, shared: false, ulid: undefined }}
    />
  );
}

export function TemplatePage() {
  const { id = '' } = useRoute().params;
  return (
    <LoadedTemplate id={id}>
      {(template, warnings, reload) => (
        <TemplateScreen key={id} title={template.name} start={template} warnings={warnings} onSaved={reload} />
      )}
    </LoadedTemplate>
  );
}

type Template = components['schemas']['Template'];

type LoadedTemplateProps = {
  id: string;
  children(template: Template, warnings: readonly string[], reload: () => void): ComponentChildren;
};

function LoadedTemplate({ id, children }: LoadedTemplateProps) {
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/templates/{id}', { params: { path: { id } }, signal }),
    { key: `template ${id}` },
  );
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (data !== undefined) return <>{children(data.data, data.warnings, reload)}</>;
  return (
    <>
      <PageTitle title={text.value.templates.one} />
      <ErrorNotice error={error} onRetry={reload} />
      {error === undefined && <Loading />}
    </>
  );
}

type TemplateScreenProps = {
  title: string;
  start: { name: string; query: Readonly<Record<string, unknown>>; shared: boolean; ulid: string | undefined };
  /** of a stored template */
  warnings?: readonly string[];
  /** of a template that was there before */
  onSaved?: () => void;
};

function TemplateScreen({ title, start, warnings = [], onSaved }: TemplateScreenProps) {
  const { templates: messages } = text.value;
  const { route } = useLocation();
  const { data, error, reload } = useResource((signal) => api.GET('/api/templates-config', { signal }), {
    key: 'templates-config',
  });
  const isAdmin = session.value?.is_admin === true;
  return (
    <>
      <PageTitle title={title}>
        <a class="button button-secondary" href="/templates">
          {messages.toTemplates}
        </a>
      </PageTitle>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <TemplateEditor
          start={start}
          warnings={warnings}
          options={readOptions(data)}
          isAdmin={isAdmin}
          onSaved={(ulid) => (onSaved === undefined ? route(`/templates/${ulid}`, true) : onSaved())}
          onDeleted={() => route('/templates')}
        />
      )}
    </>
  );
}
