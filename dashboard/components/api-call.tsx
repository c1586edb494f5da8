import { text } from '../messages/messages.ts';
import { type ApiCallDescription, clientCode, curlCommand } from './call-samples.ts';
import { CodeBox } from './code-box.tsx';
import { CopyButton } from './copy-button.tsx';

/** The API call that does the same as an action, for curl and for the client. */
export function ApiCall(call: ApiCallDescription) {
  const samples = [
    ['curl', curlCommand(call, location.origin)],
    [text.value.common.client, clientCode(call, location.origin)],
  ] as const;
  return (
    <details class="api-call">
      <summary>{text.value.common.sameCall}</summary>
      {samples.map(([name, code]) => (
        <div class="api-call-sample" key={name}>
          <h3>{name}</h3>
          <CodeBox label={name} code={code} />
          <CopyButton value={code} />
        </div>
      ))}
    </details>
  );
}
