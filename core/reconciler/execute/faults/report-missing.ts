import type { ProviderDirectory } from '../../../providers/directory.ts';
import type { Facts } from '../../../providers/facts.ts';
import type { RequestState } from '../../state/request-state.ts';

/** It holds this long, and is said again while it is so. */
const holdsMs = 600_000;

interface Around {
  readonly facts: Facts;
  readonly directory: ProviderDirectory;
  readonly now: number;
}

/** Says for everybody that machines live at an instance that is no longer configured. */
export async function reportMissing({ attempts, machines }: RequestState, { facts, directory, now }: Around): Promise<void> {
  const records = attempts.flatMap(({ provider_instance: name, provider_type, attempt }) => {
    const alive = machines.counts(attempt).alive > 0;
    const told = facts.get('missing', name)?.until ?? 0;
    if (!alive || directory.instance(name) || told > now + holdsMs / 2) return [];
    return [{ topic: 'missing', name, item: '', value: provider_type, at: now, until: now + holdsMs }];
  });
  if (records.length > 0) await facts.learn(records);
}
