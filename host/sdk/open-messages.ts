import { programHeaders, thisProgram, type CallingProgram } from '../http/calling-program.ts';
import { MethodExecutionError, sdkError } from './errors.ts';
import { messagesIn, type EventMessage } from './event-messages.ts';
import type { Transport } from './http-transport.ts';

/**
 * Opens a stream at a server; resolves when the server begins to answer. The messages end when the server ends them.
 * Both reject with UNAVAILABLE when there is no connection any more.
 */
export async function openMessages(
  transport: Transport,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
  by: CallingProgram = thisProgram('sdk'),
): Promise<AsyncIterable<EventMessage>> {
  const call = {
    method: 'GET',
    path,
    headers: { ...programHeaders(by), accept: 'text/event-stream', ...headers },
    ...(signal ? { signal } : {}),
  };
  const answer = await transport.open(call).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : away(error, `The server at ${transport.where} cannot be reached`);
  });
  if (answer.status === 204) return nothing();
  if (answer.status !== 200) throw await refusalIn(answer.status, answer.body, transport.where);
  return read();

  async function* read(): AsyncGenerator<EventMessage> {
    try {
      yield* messagesIn(answer.body);
    } catch (error) {
      throw signal?.aborted ? signal.reason : away(error, `The connection to ${transport.where} was lost`);
    }
  }
}

async function* nothing(): AsyncGenerator<EventMessage> {}

function away(error: unknown, what: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  return new MethodExecutionError('UNAVAILABLE', `${what}: ${code ?? message}.`, {}, { cause: error });
}

async function refusalIn(status: number, body: AsyncIterable<Uint8Array>, where: string): Promise<Error> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  try {
    const { code, detail } = JSON.parse(text) as { readonly code: string; readonly detail: string };
    if (typeof code === 'string') return sdkError(code, detail);
  } catch {
    // The answer is not from a muster server.
  }
  return new MethodExecutionError(
    'UNAVAILABLE',
    `The server at ${where} is not a muster server: it answered ${status} without JSON. Check the URL.`,
  );
}
