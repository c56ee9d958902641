import type { ProviderDirectory } from '../../providers/directory.ts';
import type { Facts } from '../../providers/facts.ts';
import type { RequestState } from '../state/request-state.ts';

/** How long the fact holds. It is renewed while machines live at the instance. */
const holdsMs = 600_000;

interface Around {
  readonly facts: Facts;
  readonly directory: ProviderDirectory;
  readonly now: number;
}

/** Stores the fact that machines live at an instance that is no longer configured. */
export async function reportMissing(
  { attempts, machines }: RequestState,
  { facts, directory, now }: Around,
): Promise<void> {
  const records = attempts.flatMap(({ provider_instance: name, provider_type, attempt }) => {
    const alive = machines.counts(attempt).alive > 0;
    const until = facts.get('missing', name)?.until ?? 0;
    if (!alive || directory.instance(name) || until > now + holdsMs / 2) return [];
    return [{ topic: 'missing', name, item: '', value: provider_type, at: now, until: now + holdsMs }];
  });
  if (records.length > 0) await facts.learn(records);
}
