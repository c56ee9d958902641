import type { Owner } from '../../../core/index.ts';

/** An owner as one column: equal text is the same owner. */
export const ownerText = ({ host, boot, pid, started, thread }: Owner): string => JSON.stringify([host, boot, pid, started, thread]);

export function readOwner(text: string): Owner {
  const [host, boot, pid, started, thread] = JSON.parse(text);
  return { host, boot, pid, started, thread };
}
