import type { MachineRecord } from './machine.ts';

/**
 * What is to be said of a machine. Of one that goes, or is gone, because it was given back or cancelled that is
 * nothing: the cloud calls that an error.
 */
export function saidOf({ message, going, lost, status }: MachineRecord): string | undefined {
  const asAsked = (going === 'returned' || going === 'cancelled') && lost !== true;
  return asAsked && (status === 'shutting-down' || status === 'terminated') ? undefined : message;
}
