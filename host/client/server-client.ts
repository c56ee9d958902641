import { BrokerError } from '../../core/contract/errors.ts';
import { thisProgram, type CallingProgram } from '../http/calling-program.ts';
import type { EventMessage } from '../sdk/event-messages.ts';
import { remoteExecutor } from '../sdk/remote-executor.ts';
import { httpTransport, type Address } from '../sdk/http-transport.ts';

/** Executes operations by name, at a server or in this process. `by` is the command line unless it is given. */
export interface OperationClient {
  call(operation: string, input: unknown, signal?: AbortSignal, by?: CallingProgram): Promise<unknown>;
  /** Opens a stream; resolves when it begins. Absent: the operations run in this process. */
  open?(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<EventMessage>>;
  close(): Promise<void>;
}

/**
 * Milliseconds without an answer after which the client checks the liveness of the server, and the time-out of that
 * check.
 */
const checkAfterMs = 500;
const livenessMs = 1_400;

/**
 * Creates a client of a server. A call fails with UNAVAILABLE when the server gives no sign of life within 2 s, even
 * if `answer_ms` allows longer answers.
 */
export function serverClient(address: Address, answer_ms: number): OperationClient {
  const transport = httpTransport(address, answer_ms);
  const livenessTransport = httpTransport(address, livenessMs);
  const execute = remoteExecutor(transport);
  return {
    async call(operation, input, signal, by = thisProgram('cli')) {
      const unresponsive = new AbortController();
      const livenessTimer = setTimeout(() => {
        livenessTransport
          .send({ method: 'GET', path: '/livez' })
          .catch((reason: unknown) => unresponsive.abort(reason));
      }, checkAfterMs);
      try {
        return await execute({ name: operation }, input, {
          by,
          signal: signal ? AbortSignal.any([signal, unresponsive.signal]) : unresponsive.signal,
        });
      } catch (error) {
        if (!unresponsive.signal.aborted || signal?.aborted) throw error;
        const tried = `Tried: ${operation}, then its liveness (GET /livez), for ${(checkAfterMs + livenessMs) / 1000} s`;
        const unknown = 'If the call changes state, the server may still execute it';
        throw new BrokerError(
          'UNAVAILABLE',
          `The server at ${transport.where} does not answer. ${tried}. ${unknown}.`,
          {},
          { cause: error },
        );
      } finally {
        clearTimeout(livenessTimer);
      }
    },
    async open(path, headers, signal) {
      const { openMessages } = await import('../sdk/open-messages.ts');
      return openMessages(transport, path, headers, signal, thisProgram('cli'));
    },
    async close() {
      transport.close();
      livenessTransport.close();
    },
  };
}
