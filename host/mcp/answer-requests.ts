import { ErrorCode, type Result } from '@modelcontextprotocol/sdk/types.js';
import { protocolError } from './tools/protocol-error.ts';

/** A request of the protocol, as the library describes it. */
interface RequestSchema<T> {
  readonly shape: { readonly method: { readonly value: string } };
  safeParse(request: unknown): { readonly data?: T | undefined; readonly error?: Invalid | undefined };
}

interface Invalid {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

type Answer<T> = (request: T, signal: AbortSignal) => Result | Promise<Result>;

/** How requests of one method are answered. */
export interface Answering {
  readonly method: string;
  readonly answer: Answer<unknown>;
}

/** Answers requests that the schema permits. Others are refused with -32602, and each part that is wrong. */
export const answering = <T>(schema: RequestSchema<T>, answer: Answer<T>): Answering => ({
  method: schema.shape.method.value,
  answer(request, signal) {
    const { data, error } = schema.safeParse(request);
    if (data === undefined) throw protocolError(ErrorCode.InvalidParams, wrongParts(schema.shape.method.value, error));
    return answer(data, signal);
  },
});

/**
 * The handler of all requests that the library does not answer itself. Its own table of handlers would refuse what a
 * schema does not permit as an internal error, with the text of its library.
 */
export function answerRequests(
  all: readonly Answering[],
): (request: { readonly method: string }, about: { readonly signal: AbortSignal }) => Promise<Result> {
  const known = new Map(all.map(({ method, answer }) => [method, answer]));
  return async (request, { signal }) => {
    const answer = known.get(request.method);
    if (!answer) throw protocolError(ErrorCode.MethodNotFound, 'Method not found');
    return answer(request, signal);
  };
}

function wrongParts(method: string, error: Invalid | undefined): string {
  const parts = error?.issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`) ?? [];
  return `The request ${method} is not as the protocol describes it. ${parts.join('; ')}.`;
}
