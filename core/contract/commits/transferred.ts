import { BrokerError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { TransferState } from '../transfer.ts';

/** Throws INVALID_CONFIGURATION when a copy between storages forbids brokers to use this one. */
export function refuseTransferred(place: string, { from, to }: Pick<TransferState, 'from' | 'to'>): void {
  if (to?.done)
    throw refused(
      `The storage ${place} was copied to ${to.place}, and brokers continue there: name that one in 'storage', or copy it back. To use this one again as it was, without anything that happened since, run \`muster storage reopen --force\` when no broker uses the copy.`,
    );
  if (to)
    throw refused(
      `The storage ${place} is being copied to ${to.place}, and no broker may use it meanwhile. When that copy was interrupted, repeat \`muster storage copy\`, or run \`muster storage reopen\` to continue with this storage.`,
    );
  if (from && !from.done)
    throw refused(
      `The storage ${place} is an incomplete copy of ${from.place}. Repeat \`muster storage copy\` or \`muster storage restore\`, whichever was interrupted: it completes the copy.`,
    );
}

/** What a check reports about copies. */
export function transferred({ from, to }: Pick<TransferState, 'from' | 'to'>): readonly Finding[] {
  const warning = (message: string): Finding => ({ level: 'warning', path: '', message });
  return [
    ...(to ? [warning(`it ${to.done ? 'was' : 'is being'} copied to ${to.place}: brokers no longer use it`)] : []),
    ...(from?.done === false ? [warning(`it is an incomplete copy of ${from.place}`)] : []),
  ];
}

const refused = (message: string) => new BrokerError('INVALID_CONFIGURATION', message);
