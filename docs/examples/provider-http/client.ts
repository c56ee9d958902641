import { ProviderFault, type Call, type FaultKind } from 'muster';

/** A machine as the cloud tells of it. */
export interface CloudMachine {
  readonly id: string;
  readonly state: 'booting' | 'up' | 'ending' | 'gone';
  readonly name: string;
  readonly address: string;
  readonly started_at: string;
}

/** What muster does next depends on the kind: which status means which is all that it has to be told. */
const kinds: Readonly<Record<number, FaultKind>> = {
  401: 'credentials',
  403: 'credentials',
  409: 'capacity',
  422: 'invalid',
  429: 'throttled',
  503: 'unavailable',
};

/** The calls of the cloud. Nothing is asked before the first of them. */
export function client({ url, api_key }: { readonly url: string; readonly api_key: string | null }) {
  async function ask(method: string, path: string, call: Call, body?: object): Promise<unknown> {
    let status: number;
    let answer: { readonly message?: string };
    try {
      const response = await fetch(new URL(path, url), {
        method,
        signal: call.signal,
        headers: {
          'content-type': 'application/json',
          ...(api_key === null ? {} : { authorization: `Bearer ${api_key}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      status = response.status;
      answer = (await response.json()) as typeof answer;
    } catch (cause) {
      // Nobody was there to do anything.
      if ((cause as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED')
        throw new ProviderFault('unavailable', `Nobody answers at ${url}.`, { cause });
      // What reads may be asked again. Of what changes something nobody knows whether it was done: muster asks for the
      // same order again.
      throw new ProviderFault(
        method === 'GET' ? 'unavailable' : 'unknown-outcome',
        `The cloud at ${url} gave no answer.`,
        { cause },
      );
    }
    if (status < 300) return answer;
    // Who is to be ended and is not there has ended.
    if (method === 'DELETE' && (status === 404 || status === 410)) return answer;
    const kind = kinds[status] ?? (method === 'GET' ? 'unavailable' : 'unknown-outcome');
    throw new ProviderFault(kind, `The cloud refused: ${answer.message ?? status}.`, { code: String(status) });
  }
  return {
    start: async (
      order: { readonly order: string; readonly count: number; readonly size: string; readonly tags: object },
      call: Call,
    ) => (await ask('PUT', `/orders/${order.order}`, call, order)) as readonly CloudMachine[],
    list: async (order: string, call: Call) => (await ask('GET', `/orders/${order}`, call)) as readonly CloudMachine[],
    end: async (id: string, call: Call) => void (await ask('DELETE', `/machines/${id}`, call)),
  };
}
