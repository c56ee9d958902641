import { Agent, request } from 'node:http';

const authorization =
  'AWS4-HMAC-SHA256 Credential=AKIABENCH/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0';

/** Parameters of one call of EC2's query protocol, without action and version. */
export type Call = Readonly<Record<string, string | number>>;

/** A caller of EC2's wire protocol that neither signs nor reads: it is to cost less than who answers. */
export interface Wire {
  /** Calls once and resolves with the answer as it came. Refusals throw. */
  call(action: string, params: Call): Promise<string>;
  close(): void;
}

export function openWire(url: string): Wire {
  const { hostname: host, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  return {
    call: (action, params) =>
      new Promise((resolve, reject) => {
        const body = new URLSearchParams({ Action: action, Version: '2016-11-15', ...toTexts(params) }).toString();
        const headers = {
          authorization,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        };
        const sent = request({ host, port, method: 'POST', agent, headers }, (answer) => {
          let text = '';
          answer.setEncoding('latin1');
          answer.on('data', (chunk: string) => (text += chunk));
          answer.on('error', reject);
          answer.on('end', () =>
            answer.statusCode === 200 ? resolve(text) : reject(new Error(`${action} answered ${answer.statusCode}.`)),
          );
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function toTexts(params: Call): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
