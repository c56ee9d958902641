import { asSdkError } from '../sdk/errors.ts';

/** The codes of a connection that no server accepted. */
const notSent = ['ECONNREFUSED', 'ENOENT'];
/** The codes of a connection that broke: the server may have executed the call. */
const broken = ['ECONNRESET', 'EPIPE'];

/** Whether a call that failed may be repeated elsewhere: one that was not sent, and any query whose server ended. */
export function mayBeSentAgain({ kind }: { readonly kind: 'command' | 'query' }, reason: unknown): boolean {
  const { code, cause } = asSdkError(reason);
  const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  return code === 'UNAVAILABLE' && (notSent.includes(why) || (kind === 'query' && broken.includes(why)));
}
