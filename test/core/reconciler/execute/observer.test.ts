import test from 'ava';
import {
  ProviderFault,
  type MachineRef,
  type MachineReport,
  type Observation,
  type Watched,
} from '../../../../core/index.ts';
import { Observer } from '../../../../core/reconciler/execute/observer.ts';
import type { GuardedApi } from '../../../../core/providers/guard/guarded-api.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const known = (machine_id: string, zone?: string): MachineRef => ({
  machine_id,
  status: 'running',
  ...(zone ? { zone } : {}),
});
const report = (machine_id: string, zone?: string): MachineReport => ({ ...known(machine_id, zone), ready: true });
const watched = (...machines: readonly MachineRef[]): Watched => ({ handle: {}, order: {} as never, known: machines });
const saw = (...machines: readonly MachineReport[]): Observation => ({ machines, settled: true });

/** The observations of one call with this answer. */
async function looks(questions: readonly Watched[], answer: readonly (Observation | ProviderFault)[]) {
  const clock = new FakeClock();
  const observer = new Observer(new AbortController().signal, clock);
  const api = { name: 'Fake', observe: async () => answer } as unknown as GuardedApi;
  const asked = questions.map((each) => observer.observe({ instance: { name: 'east' } } as never, api, each));
  const done = Promise.allSettled(asked);
  await clock.advance(15);
  return (await done).map((each) =>
    each.status === 'fulfilled' ? each.value.listed : (each.reason as Error).message,
  );
}

test('each observation has whether the whole answer listed a known machine, and the zones of those', async (t) => {
  const questions = [watched(known('m-1', 'a'), known('m-2', 'b')), watched(known('m-3', 'c'))];
  const listed = { any: true, zones: new Set(['a']) };
  t.deepEqual(await looks(questions, [saw(report('m-1', 'a')), saw()]), [listed, listed]);
});

test('unknown machines and faults are no evidence about known machines', async (t) => {
  const answer = [saw(report('m-9', 'a')), new ProviderFault('unavailable', 'No.')];
  t.deepEqual(await looks([watched(known('m-1', 'a')), watched(known('m-2', 'b'))], answer), [
    { any: false, zones: new Set() },
    'No.',
  ]);
});

test('a machine that is listed without its zone stays in its known zone', async (t) => {
  t.deepEqual(await looks([watched(known('m-1', 'a'))], [saw(report('m-1'))]), [{ any: true, zones: new Set(['a']) }]);
  t.deepEqual(await looks([watched(known('m-1'))], [saw(report('m-1'))]), [{ any: true, zones: new Set() }]);
});
