import type { Store } from '../../core/contract/storage.ts';
import type { Sample } from './family.ts';

type Labelled = readonly (readonly [Sample['labels'], number])[];

/** Templates beyond this number share the label `other`, since each costs a count in the storage. */
const mostTemplates = 50;
const other = 'other';
const present = ['pending', 'running'] as const;

/** When the oldest request, and the oldest return, was accepted that has not ended. Seconds since 1970. */
export async function oldestOpen(store: Store): Promise<Labelled> {
  const oldest = async (kind: 'provision' | 'return') => {
    const found = await Promise.all(
      (['pending', 'in_progress'] as const).map((status) =>
        store.find('request', { where: { kind, status }, order: [['created_at', 'asc']], limit: 1 }),
      ),
    );
    const times = found.flat().map(({ created_at }) => created_at / 1_000);
    return times.length === 0 ? [] : [[{ kind }, Math.min(...times)] as const];
  };
  return (await Promise.all([oldest('provision'), oldest('return')])).flat();
}

/** How many machines start or run, by template; those of templates beyond the bound, or without a template, together. */
export async function machinesOfTemplates(store: Store, template_ids: readonly string[]): Promise<Labelled> {
  // A template may have the name of the others; two samples of one label are no valid metric.
  const named = template_ids.filter((id) => id !== other).slice(0, mostTemplates);
  const [all, counts] = await Promise.all([
    store.count('machine', { status: present }),
    Promise.all(named.map((template_id) => store.count('machine', { template_id, status: present }))),
  ]);
  const rest = all - counts.reduce((sum, count) => sum + count, 0);
  return [
    ...named.map((template_id, index) => [{ template_id }, counts[index] ?? 0] as const),
    ...(rest > 0 ? [[{ template_id: other }, rest] as const] : []),
  ];
}
