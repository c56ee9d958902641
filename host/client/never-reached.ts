/** Whether a call failed because nobody listened: it was never sent, so it may be sent to whoever listens next. */
export function neverReached(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOENT';
}
