import test from 'ava';
import fc from 'fast-check';
import type { ServiceRecordChange } from '../../../core/index.ts';
import type { ClusterRecords, NodeState, OrderState } from '../../../plugins/slurm/nodes/records.ts';
import { switchOff, switchOn } from '../../../plugins/slurm/nodes/switch-on.ts';

const setOf = new Map([...Array(200).keys()].map((n) => [`n${n}`, n < 100 ? 0 : 1]));
const none: ClusterRecords = { nodes: new Map(), orders: new Map(), rests: new Map() };
const on = (from: ClusterRecords, names: readonly string[], jobs: { job_id: number; nodes: string[] }[] = []) =>
  switchOn(from, { cluster: 'c', names, jobs, setOf, templateOf: (set) => `template-${set}`, now: 1 });

/** The records after some of the commits. */
function stored(from: ClusterRecords, commits: readonly (readonly ServiceRecordChange[])[]): ClusterRecords {
  const nodes = new Map(from.nodes);
  const orders = new Map(from.orders);
  for (const { key, version, value } of commits.flat()) {
    const [, kind, name = ''] = key.split('/');
    if (kind === 'node') nodes.set(name, { version: version + 1, value: value as NodeState });
    else orders.set(name, { version: version + 1, value: value as OrderState });
  }
  return { ...from, nodes, orders };
}

test('the nodes of a job are one order for each set, all or nothing where they are several', (t) => {
  const planned = on(none, ['n1', 'n2', 'n100', 'n3'], [{ job_id: 7, nodes: ['n1', 'n2', 'n100'] }]);
  t.deepEqual(
    planned.map(({ order: { names, set, job, all_or_nothing } }) => ({ names, set, job, all_or_nothing })),
    [
      { names: ['n1', 'n2'], set: 0, job: 7, all_or_nothing: true },
      { names: ['n100'], set: 1, job: 7, all_or_nothing: false },
      { names: ['n3'], set: 0, job: undefined, all_or_nothing: false },
    ],
  );
});

test('twice is once, also when a part of the first call was stored', (t) => {
  const names = [...setOf.keys()].slice(0, 100);
  const [planned] = on(none, names);
  if (!planned) return t.fail();
  t.true(planned.commits.length > 1);
  t.true(planned.commits.every((commit) => commit.length <= 90));
  t.deepEqual(on(stored(none, planned.commits), names), []);
  for (let kept = 1; kept < planned.commits.length; kept++) {
    const [again] = on(stored(none, planned.commits.slice(0, kept)), names);
    t.deepEqual(again?.order.names, names, 'an order without its record is made anew');
  }
});

test('a node that was off, or whose machine joined, gets a new generation and a new request', (t) => {
  const first = on(none, ['n1']);
  const known = stored(
    none,
    first.flatMap(({ commits }) => commits),
  );
  const off = stored(known, switchOff(known, 'c', ['n1'], 2));
  const second = on(off, ['n1']);
  t.is(second.length, 1);
  t.not(second[0]?.order.request_id, first[0]?.order.request_id);
  t.deepEqual(switchOff(off, 'c', ['n1'], 3).flat(), [], 'off twice is once');
  const kept = known.nodes.get('n1');
  if (!kept) return t.fail();
  const joined = { ...known, nodes: new Map([['n1', { ...kept, value: { ...kept.value, joined_at: 5 } }]]) };
  t.is(on(joined, ['n1']).length, 1);
});

test('calls in any order leave each node in the state of the last one, with at most one order', (t) => {
  const call = fc.record({
    verb: fc.constantFrom('on', 'off'),
    names: fc.uniqueArray(fc.constantFrom('n1', 'n2', 'n3', 'n101'), { minLength: 1 }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
      let known = none;
      const last = new Map<string, string>();
      for (const { verb, names } of calls) {
        const before = known;
        const commits =
          verb === 'on' ? on(known, names).flatMap((each) => each.commits) : switchOff(known, 'c', names, 1);
        known = stored(known, commits);
        for (const name of names) {
          if (verb === 'on' || last.has(name)) last.set(name, verb);
          const [now, then] = [known.nodes.get(name)?.value, before.nodes.get(name)?.value];
          t.true((now?.generation ?? 0) >= (then?.generation ?? 0));
        }
      }
      for (const [name, verb] of last) t.is(known.nodes.get(name)?.value.state, verb as 'on');
      const requests = [...known.nodes.values()].flatMap(({ value }) => (value.state === 'on' ? [value.order] : []));
      for (const request of requests) t.true(known.orders.has(request ?? ''));
    }),
  );
});
