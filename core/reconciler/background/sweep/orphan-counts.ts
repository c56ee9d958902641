import type { OwnedResource } from '../../../contract/provider.ts';

/** How often in a row each orphan was seen, by sweep; one that was missed once begins anew. Of one cloud, in memory. */
export class OrphanCounts {
  #seen = new Map<string, number>();

  /** Counts the orphans of a sweep that succeeded. Returns each with its number of sightings in a row. */
  count(orphans: readonly OwnedResource[]): readonly { readonly orphan: OwnedResource; readonly times: number }[] {
    const counted = orphans.map((orphan) => ({ orphan, times: (this.#seen.get(keyOf(orphan)) ?? 0) + 1 }));
    this.#seen = new Map(counted.map(({ orphan, times }) => [keyOf(orphan), times]));
    return counted;
  }
}

const keyOf = ({ kind, id }: OwnedResource): string => `${kind} ${id}`;
