/** A resource in the cloud that carries the tags of this installation and that nothing stored can release. */
export interface Orphan {
  readonly kind: 'machine' | 'container' | 'launch_template';
  readonly id: string;
  readonly request_id?: string;
  readonly attempt?: number;
  /** ISO 8601, as the provider says. */
  readonly created_at?: string;
  /** Epoch milliseconds: the first of the discoveries in a row that found it. */
  readonly first_seen: number;
  /** Why it counts as an orphan, for people. */
  readonly reason: string;
}

/** What the last discovery of an instance found. */
export interface FoundOrphans {
  readonly count: number;
  /** The first of them. */
  readonly orphans: readonly Orphan[];
}

/** The topic of the fact with the orphans of an instance. */
export const orphansTopic = 'orphans';
/** The topic of the fact that a cloud was searched, by the identity of the cloud. Its value: the instance that did it. */
export const sweptTopic = 'swept';
/** The topic of the facts with which callers ask to end orphans. Their item is `keyOfOrphan`. */
export const endOrphanTopic = 'end_orphan';

export const keyOfOrphan = ({ kind, id }: Pick<Orphan, 'kind' | 'id'>): string => `${kind} ${id}`;
