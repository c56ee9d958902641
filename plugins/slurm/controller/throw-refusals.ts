/** Throws what was refused, all of it in one message. Nothing when nothing was. */
export function throwRefusals(refused: readonly unknown[]): void {
  if (refused.length === 0) return;
  if (refused.length === 1) throw refused[0];
  throw new AggregateError(refused, refused.map((each) => (each as Error).message).join('; '));
}
