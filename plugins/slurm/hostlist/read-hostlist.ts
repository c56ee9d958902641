import { HostlistError } from './hostlist-error.ts';
import { expandGroup, mostOfRange, partsOf } from './parts.ts';

/** The most names of one hostlist: a bound for memory, above every cluster. */
const mostOfList = 200_000;

/**
 * The names of a hostlist, in its order, as `scontrol show hostnames` prints them: `a[1-3,5]`, `[08-11]` keeps the
 * width, brackets multiply, commas separate, duplicates stay. Throws HostlistError, also for
 * more than `mostNames` names.
 */
export function readHostlist(text: string, mostNames = mostOfList): string[] {
  const names: string[] = [];
  for (const entry of partsOf(text)) {
    if (entry === '') continue;
    for (const name of expandGroup(entry, mostOfRange, mostNames)) {
      names.push(name);
      if (names.length > mostNames) throw new HostlistError(`'${text.slice(0, 80)}' has more than ${mostNames} names`);
    }
  }
  return names;
}
