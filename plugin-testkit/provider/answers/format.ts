import { inspect } from 'node:util';

/** A value as one line of a message. */
export const formatValue = (value: unknown): string =>
  inspect(value, { depth: 4, breakLength: Infinity, maxArrayLength: 20, maxStringLength: 300 });

export const formatIds = (ids: Iterable<string>): string => [...ids].toSorted().join(', ') || 'none';
