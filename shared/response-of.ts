/** What is used of a request of `node:http`. */
type Request<Response> = {
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  once(event: 'response', listener: (response: Response) => void): unknown;
  once(event: 'upgrade', listener: (response: Response, socket: { destroy(): unknown }) => void): unknown;
};

/**
 * The response to a request. It always settles: a 101 response that switches the protocol has a separate event, and
 * without a listener for that event Node ends the request with `close` alone, without an error.
 */
export function responseOf<Response>(request: Request<Response>): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  request.once('response', resolve);
  request.once('upgrade', (response, socket) => {
    socket.destroy();
    resolve(response);
  });
  // Also after the response: the server may send more than its headers announce.
  request.on('error', reject);
  request.once('close', () => reject(new Error('the connection was closed without a response')));
  return promise;
}
