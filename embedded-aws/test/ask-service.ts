import type { ControlOptions } from '../src/control/control-server.ts';
import { credentials, serveControl } from '../src/testing/serve-control.ts';
import { signRequest } from '../src/testing/sign-request.ts';

type Asked = {
  services: Omit<ControlOptions, 'find' | 'region'>;
  service: string;
  headers: Record<string, string>;
  body: string;
};

const region = 'local-1';

/** Sends one signed request to a service over a socket, and returns status and text of the response. */
export async function askService({ services, service, headers, body }: Asked) {
  const { endpoint, stop } = await serveControl({ region, ...services });
  try {
    const url = `${endpoint}/`;
    const answer = await fetch(url, signRequest({ url, headers, body, service, region, credentials }));
    return { status: answer.status, text: await answer.text() };
  } finally {
    await stop();
  }
}
