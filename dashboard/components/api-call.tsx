import { signal } from '@preact/signals';
import { text } from '../messages/messages.ts';
import { type ApiCallDescription, clientCode, curlCommand } from './call-samples.ts';
import { CodeBox } from './code-box.tsx';
import { CopyButton } from './copy-button.tsx';

const storageKey = 'show-api-calls';

/** Whether pages show the API calls that do the same as their actions. It is kept in this browser. */
export const showsApiCalls = signal(localStorage.getItem(storageKey) === 'yes');

export function showApiCalls(isShown: boolean): void {
  localStorage.setItem(storageKey, isShown ? 'yes' : 'no');
  showsApiCalls.value = isShown;
}

/** The API call that does the same as an action, for curl and for the client, where the user wants to see it. */
export function ApiCall(call: ApiCallDescription) {
  if (!showsApiCalls.value) return null;
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
