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

/** An API whose calls end when they are told to, and how many attempts each call was about. */
function callsOnWord() {
  const clock = new FakeClock();
  const sizes: number[] = [];
  const ends: (() => void)[] = [];
  const api = {
    name: 'Fake',
    observe: (questions: readonly Watched[]) => {
      sizes.push(questions.length);
      return new Promise((resolve) => ends.push(() => resolve(questions.map(() => saw()))));
    },
  } as unknown as GuardedApi;
  const observer = new Observer(new AbortController().signal, clock);
  const observe = () => observer.observe({ instance: { name: 'east' } } as never, api, watched());
  return { clock, sizes, ends, observe };
}

test('what becomes due while a call is under way shares the next one', async (t) => {
  const { clock, sizes, ends, observe } = callsOnWord();
  const first = observe();
  await clock.advance(15);
  const later = [];
  for (let each = 0; each < 5; each++) {
    later.push(observe());
    await clock.advance(100);
  }
  t.deepEqual(sizes, [1]);
  ends[0]?.();
  await first;
  await clock.advance(15);
  t.deepEqual(sizes, [1, 5]);
  ends[1]?.();
  t.is((await Promise.all(later)).length, 5);
});

test('a call that hangs keeps the next one for two seconds', async (t) => {
  const { clock, sizes, ends, observe } = callsOnWord();
  void observe();
  await clock.advance(15);
  const later = observe();
  await clock.advance(1_990);
  t.deepEqual(sizes, [1]);
  await clock.advance(30);
  t.deepEqual(sizes, [1, 1]);
  ends[1]?.();
  await later;
  t.is(ends.length, 2);
});
