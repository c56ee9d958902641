import { request } from 'node:http';

/** GET over a Unix socket. */
export function callSocket(
  socketPath: string,
  path: string,
): Promise<{ readonly status: number | undefined; readonly body: any }> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    })
      .on('error', reject)
      .end();
  });
}
