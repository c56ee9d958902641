import type { FactRecord } from '../model/records.ts';
import type { HostRef } from '../contract/provider.ts';

/**
 * Hosts that callers name and no request knows. A face stores the question, the loop asks the providers and stores the answer, and the next call
 * finds it: faces touch no provider. Both are facts of one host at one instance; the instance is empty where any may have it.
 */
export const askedTopic = 'unknown_host_asked';
export const answeredTopic = 'unknown_host_answered';

/** What the loop found out. */
export interface UnknownHostAnswer {
  readonly lives: boolean;
}

/** A question that nobody answered by then is forgotten, and so is an answer that nobody asked for again. */
export const heldMs = 600_000;

export const itemOf = ({ machine_id, name }: HostRef): string => (machine_id === undefined ? `name:${name}` : `id:${machine_id}`);

/** The host that a fact is about. */
export function hostOf({ item }: Pick<FactRecord, 'item'>): HostRef {
  return item.startsWith('id:') ? { machine_id: item.slice('id:'.length) } : { name: item.slice('name:'.length) };
}
