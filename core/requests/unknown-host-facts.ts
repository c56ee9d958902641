import type { FactRecord } from '../model/records.ts';
import type { HostRef } from '../contract/provider/resources.ts';

/**
 * Facts about hosts that callers name and no request knows. An interface stores a question, the loop asks the
 * providers and stores the answer, and the next call reads it; interfaces never call a provider. Each fact belongs to
 * one host at one instance; the instance is empty when any instance may have the host.
 */
export const askedTopic = 'unknown_host_asked';
export const answeredTopic = 'unknown_host_answered';

/** The answer of the providers. */
export interface UnknownHostAnswer {
  readonly lives: boolean;
}

/** How long questions and answers are kept, in milliseconds, unless they are written again. */
export const heldMs = 600_000;

export const itemOf = ({ machine_id, name }: HostRef): string =>
  machine_id === undefined ? `name:${name}` : `id:${machine_id}`;

/** The host that a fact belongs to. */
export function hostOf({ item }: Pick<FactRecord, 'item'>): HostRef {
  return item.startsWith('id:') ? { machine_id: item.slice('id:'.length) } : { name: item.slice('name:'.length) };
}
