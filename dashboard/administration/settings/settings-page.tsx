import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { text } from '../../messages/messages.ts';
import { AdminPage } from '../admin-page.tsx';
import { changedAs, groupsOf, inForce, isChanged, type Setting } from './setting-groups.ts';
import { valueText } from './setting-value.ts';

export const SettingsPage = () => (
  <AdminPage title={text.value.administration.settings.title}>
    <Settings />
  </AdminPage>
);

function Settings() {
  const messages = text.value.administration.settings;
  const { data, error, reload } = useResource((signal) => api.GET('/api/settings', { signal }), { key: 'settings' });
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <>
          <p>{data.data.stage === 'local' ? messages.localHint : messages.stageHint(data.data.stage)}</p>
          <div class="setting-groups">
            {groupsOf(inForce(data.data.stage, data.data.settings)).map(({ group, settings }) => (
              <Card key={group} title={messages.groups[group]}>
                <dl class="setting-list">
                  {settings.map((setting) => (
                    <OneSetting key={setting.name} stage={data.data.stage} setting={setting} />
                  ))}
                </dl>
              </Card>
            ))}
            <Limits limits={data.data.limits} />
          </div>
        </>
      )}
      <ApiCall method="GET" path="/api/settings" />
    </>
  );
}

function OneSetting({ stage, setting }: { stage: string; setting: Setting }) {
  const { name, value } = setting;
  const messages = text.value.administration.settings;
  const changedName = changedAs(stage, setting);
  return (
    <div class="setting">
      <dt>
        {messages.names[name as keyof typeof messages.names] ?? name} <code class="setting-key">{name}</code>
      </dt>
      <dd>{valueText(name, value)}</dd>
      <dd class="hint">
        {messages.sentences[name as keyof typeof messages.sentences]}{' '}
        {isChanged(setting) && messages.defaultIs(valueText(name, setting.default))}{' '}
        {stage === 'local' && changedName !== undefined && messages.variable(changedName)}
      </dd>
    </div>
  );
}

function Limits({ limits }: { limits: Readonly<Record<string, number>> }) {
  const messages = text.value.administration.settings;
  return (
    <Card title={messages.limits}>
      <p class="hint">{messages.limitsHint}</p>
      <dl class="setting-list">
        {Object.entries(limits).map(([name, value]) => (
          <div class="setting" key={name}>
            <dt>{messages.limitNames[name as keyof typeof messages.limitNames] ?? name}</dt>
            <dd>{valueText(name, value)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
