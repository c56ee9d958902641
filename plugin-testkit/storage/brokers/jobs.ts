import assert from 'node:assert/strict';
import type { Change, JobLease, Store } from '../../../core/index.ts';
import { assertRefused } from '../assert-refused.ts';
import type { Contract } from '../contract.ts';
import { aBroker, aTemplate, deadPid, insert } from '../records.ts';

const [one, two] = [aBroker({ host: 'one' }), aBroker({ host: 'two' })];

const fenced = (lease: JobLease | undefined, template_id: string): readonly Change[] => [
  { op: 'fence', job: lease?.job ?? '', epoch: lease?.epoch ?? -1 },
  insert('template', aTemplate(template_id)),
];

/** The contract of `job` and `freeJob`, and of the fence of a job. */
export function checkJobs({ check, opened, shared }: Contract): void {
  check('a job is given to one broker at a time, and to the same one again under the same epoch', async (ending) => {
    const { store } = await opened(ending);
    assert.deepEqual(await store.job(one, 'sweep', 60_000), { job: 'sweep', epoch: 1 });
    assert.deepEqual(await store.job(one, 'sweep', 60_000), { job: 'sweep', epoch: 1 });
    assert.equal(await store.job(two, 'sweep', 60_000), undefined);
    assert.deepEqual(await store.job(two, 'retention', 60_000), { job: 'retention', epoch: 1 });
  });

  check('a job is free when it was freed, when its broker left, died, or lost its lease', async (ending) => {
    const { store, time } = await opened(ending);
    const first = (await store.job(one, 'sweep', 1_000)) as JobLease;
    await store.freeJob(first);
    assert.deepEqual(await store.job(two, 'sweep', 1_000), { job: 'sweep', epoch: 2 });
    await store.freeJob(first);
    assert.equal(await store.job(one, 'sweep', 1_000), undefined, 'a stale lease frees nothing');
    await store.leave(two);
    assert.deepEqual(await store.job(one, 'sweep', 1_000), { job: 'sweep', epoch: 3 });
    await time.pass(1_000);
    assert.deepEqual(await store.job(two, 'sweep', 1_000), { job: 'sweep', epoch: 4 });
    await store.leave(two);
    await store.job(aBroker({ pid: deadPid }), 'sweep', 60_000);
    // A claim finds that the process of the broker has ended.
    await store.claim(aBroker(), 1, 60_000);
    await store.claim(aBroker(), 1, 60_000);
    assert.deepEqual(await store.job(aBroker(), 'sweep', 60_000), { job: 'sweep', epoch: 6 });
  });

  check('a renewal keeps the jobs of a broker', async (ending) => {
    const { store, time } = await opened(ending);
    await store.job(one, 'sweep', 1_000);
    await time.pass(999);
    await store.renew(one, 1_000);
    await time.pass(999);
    assert.equal(await store.job(two, 'sweep', 1_000), undefined);
  });

  check('a commit under the epoch of a job is refused after another broker took it over', async (ending) => {
    const { store, time } = await opened(ending);
    const early = await store.job(one, 'sweep', 1_000);
    await store.commit(fenced(early, 'in time'));
    await time.pass(1_000);
    const late = await store.job(two, 'sweep', 1_000);
    await assertRefused(store.commit(fenced(early, 'too late')), 'CONFLICT');
    await store.commit(fenced(late, 'new holder'));
    const stored = (await store.find('template', {})).map(({ template_id }) => template_id);
    assert.deepEqual(stored, ['in time', 'new holder']);
    await assertRefused(store.commit(fenced({ job: 'never given', epoch: 1 }, 'never')), 'CONFLICT');
  });

  check('many brokers ask for a job at once: one gets it', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = shared ? [store, await open(), await open()] : [store, store, store];
    const ask = (each: Store | undefined, i: number) => each?.job(aBroker({ host: `h-${i}` }), 'sweep', 60_000);
    const given = await Promise.all(Array.from({ length: 9 }, (_, i) => ask(stores[i % 3], i)));
    assert.deepEqual(
      given.filter((each) => each !== undefined),
      [{ job: 'sweep', epoch: 1 }],
    );
  });
}
