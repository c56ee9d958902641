import { BrokerError } from '../../core/contract/errors.ts';
import { remoteExecutor } from '../sdk/remote-executor.ts';
import { httpTransport, type Address } from '../sdk/http-transport.ts';

/** Operations by name, at a server or in this process. */
export interface OperationClient {
  call(operation: string, input: unknown, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/** A server that has not answered for so long is asked whether it lives; and so long it may take over that. */
const patienceMs = 500;
const lifeSignMs = 1_400;

/** Operations at a server. One that gives no sign of life within 2 s is UNAVAILABLE, though `answer_ms` allow for an answer that takes long. */
export function serverClient(address: Address, answer_ms: number): OperationClient {
  const transport = httpTransport(address, answer_ms);
  const lifeline = httpTransport(address, lifeSignMs);
  const carry = remoteExecutor(transport);
  return {
    async call(operation, input, signal) {
      const dead = new AbortController();
      const doubt = setTimeout(() => {
        lifeline.send({ method: 'GET', path: '/livez' }).catch((reason: unknown) => dead.abort(reason));
      }, patienceMs);
      try {
        return await carry({ name: operation }, input, { signal: signal ? AbortSignal.any([signal, dead.signal]) : dead.signal });
      } catch (error) {
        if (!dead.signal.aborted || signal?.aborted) throw error;
        const tried = `Tried: ${operation}, then whether it lives (GET /livez), for ${(patienceMs + lifeSignMs) / 1000} s`;
        const unknown = 'If it was to change something, that may yet be done';
        throw new BrokerError(
          'UNAVAILABLE',
          `The server at ${transport.where} does not answer. ${tried}. ${unknown}.`,
          {},
          { cause: error },
        );
      } finally {
        clearTimeout(doubt);
      }
    },
    async close() {
      transport.close();
      lifeline.close();
    },
  };
}
