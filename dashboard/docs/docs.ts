import { sendRequest } from './send-request.ts';
import type { ViewerRequest } from './viewer-messages.ts';
import './docs.css';

/**
 * The page of the API documentation. The viewer runs in a frame with a separate origin, without access to the
 * session and to the network; this page sends its requests.
 */
const frame = document.createElement('iframe');
frame.title = document.title;
frame.src = '/docs/viewer';
frame.setAttribute('sandbox', 'allow-scripts allow-forms allow-popups allow-downloads');

addEventListener('message', async ({ source, data }: MessageEvent<ViewerRequest>) => {
  if (source !== frame.contentWindow) return;
  const response = await sendRequest(data, location.origin);
  // An opaque origin has no name; only the frame receives the message.
  frame.contentWindow?.postMessage(response, '*');
});

document.getElementById('docs')!.append(frame);
