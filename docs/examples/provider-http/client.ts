import { ProviderFault, type Call, type FaultKind } from 'muster';

/** A machine as the cloud describes it. */
export interface CloudMachine {
  readonly id: string;
  readonly state: 'booting' | 'up' | 'ending' | 'gone';
  readonly name: string;
  readonly address: string;
  readonly started_at: string;
}

/** The status determines the kind of the fault, and the kind determines what muster does next. */
const kinds: Readonly<Record<number, FaultKind>> = {
  401: 'credentials',
  403: 'credentials',
  409: 'capacity',
  422: 'invalid',
  429: 'throttled',
  503: 'unavailable',
};

/** The calls of the cloud. No connection is made before the first call. */
export function client({ url, api_key }: { readonly url: string; readonly api_key: string | null }) {
  async function send(method: string, path: string, call: Call, body?: object): Promise<unknown> {
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
      // The connection was refused, so the cloud executed nothing.
      if ((cause as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED')
        throw new ProviderFault('unavailable', `The connection to ${url} was refused.`, { cause });
      // A read can be repeated. The outcome of a write is unknown, so muster repeats the same order.
      throw new ProviderFault(
        method === 'GET' ? 'unavailable' : 'unknown-outcome',
        `The cloud at ${url} gave no answer.`,
        { cause },
      );
    }
    if (status < 300) return answer;
    // A machine that does not exist has already ended.
    if (method === 'DELETE' && (status === 404 || status === 410)) return answer;
    const kind = kinds[status] ?? (method === 'GET' ? 'unavailable' : 'unknown-outcome');
    throw new ProviderFault(kind, `The cloud refused: ${answer.message ?? status}.`, { code: String(status) });
  }
  return {
    start: async (
      order: { readonly order: string; readonly count: number; readonly size: string; readonly tags: object },
      call: Call,
    ) => (await send('PUT', `/orders/${order.order}`, call, order)) as readonly CloudMachine[],
    list: async (order: string, call: Call) =>
      (await send('GET', `/orders/${order}`, call)) as readonly CloudMachine[],
    end: async (id: string, call: Call) => void (await send('DELETE', `/machines/${id}`, call)),
  };
}
