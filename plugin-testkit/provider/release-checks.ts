import assert from 'node:assert/strict';
import type { ProviderChecks } from './check-list.ts';
import { delivered } from './outcome.ts';
import { listed, sameIds } from './says.ts';

/** How machines go. */
export function releaseChecks({ on, subject }: ProviderChecks): void {
  const { count } = subject;

  on('release ends exactly the machines that it names, and nothing takes their place', async (stage) => {
    const attempt = await stage.start();
    const [gone = '', ...others] = await stage.up(attempt);
    await stage.giveBack(attempt, [gone]);
    sameIds(await stage.livingAfter(others.length), others, `Only ${gone} was to go, and nothing was to come.`, 'Living');
    await stage.until(
      () => stage.look(attempt),
      () => !attempt.alive.includes(gone),
    );
    sameIds(attempt.alive, others, 'observe must agree.', 'Seen');
  });

  on('release of the rest, and then of all again, is a success', async (stage) => {
    const attempt = await stage.start();
    const ids = await stage.up(attempt);
    const refs = stage.refs(attempt, ids);
    await stage.giveBack(attempt, ids.slice(0, 1));
    await stage.livingAfter(ids.length - 1);
    await stage.release(attempt, { go: refs, stay: [], to_come: 0 });
    sameIds(await stage.livingAfter(0), [], 'All were named.', 'Living');
    await stage.release(attempt, { go: refs, stay: [], to_come: 0 });
    await stage.release(attempt, { go: [], stay: [], to_come: 0 });
  });

  on('release of one machine twice ends no other', async (stage) => {
    const attempt = await stage.start();
    const [gone = '', ...others] = await stage.up(attempt);
    const aim = { go: stage.refs(attempt, [gone]), stay: stage.refs(attempt, others), to_come: 0 };
    await stage.release(attempt, aim);
    await stage.release(attempt, aim);
    sameIds(await stage.livingAfter(others.length), others, `Only ${gone} was to go, however often it was said.`, 'Living');
    await stage.release(attempt, aim);
    sameIds(await stage.livingAfter(others.length), others, `Only ${gone} was to go, also when it was gone.`, 'Living');
  });

  on('release of all machines at once leaves none', async (stage) => {
    const attempt = await stage.start();
    await stage.up(attempt);
    await stage.giveBack(attempt);
    sameIds(await stage.livingAfter(0), [], 'All were to go, and nothing was to come.', 'Living');
    await stage.until(
      () => stage.look(attempt),
      () => attempt.alive.length === 0 && attempt.settled,
    );
    assert.ok(attempt.settled, 'An order that was stopped and has no machine is settled: nothing more comes by itself.');
  });

  on('release of a machine that nobody knows is a success and ends no other', async (stage) => {
    const attempt = await stage.start();
    const ids = await stage.up(attempt);
    const [like] = stage.refs(attempt, ids.slice(0, 1));
    assert.ok(like, 'A machine is up.');
    // Old enough to be gone rather than not yet visible, and spelled like the others.
    const notOurs = { ...like, machine_id: unlike(like.machine_id), launched_at: '2020-01-01T00:00:00.000Z' };
    await stage.release(attempt, { go: [notOurs], stay: stage.refs(attempt, ids), to_come: 0 });
    sameIds(await stage.livingAfter(ids.length), ids, 'None of these was named.', 'Living');
    await stage.release(attempt, { go: [notOurs, like], stay: stage.refs(attempt, ids.slice(1)), to_come: 0 });
    sameIds(
      await stage.livingAfter(ids.length - 1),
      ids.slice(1),
      `${like.machine_id} was named beside a machine that nobody knows.`,
      'Living',
    );
  });

  on('release of one order leaves the machines of another', async (stage) => {
    const [one, other] = [await stage.start(), await stage.start()];
    await stage.up(one);
    const ids = await stage.up(other);
    await stage.giveBack(one);
    sameIds(await stage.livingAfter(ids.length), ids, 'Only the machines of the other order were to go.', 'Living');
  });

  on('release with nothing to come, straight after the launch, means that nothing comes later', async (stage) => {
    const attempt = await stage.start();
    const here = [...attempt.alive];
    await stage.release(attempt, { go: [], stay: stage.refs(attempt, here), to_come: 0 });
    const before = await stage.living();
    await stage.quiet();
    const later = (await stage.living()).filter((id) => !before.includes(id));
    assert.ok(later.length === 0, `After a release with to_come: 0 is done, nothing arrives any more; came later: ${listed(later)}.`);
    const cut = here.filter((id) => !before.includes(id));
    assert.ok(cut.length === 0, `They were to stay (go: []), and ended: ${listed(cut)}.`);
    await stage.until(
      () => stage.look(attempt),
      () => attempt.settled,
    );
    assert.ok(attempt.settled, 'An order that was stopped is settled: nothing more comes by itself.');
    await stage.giveBack(attempt);
    sameIds(await stage.livingAfter(0), [], 'What came before it was stopped can be released.', 'Living');
  });

  on('release with machines still to come does not keep them from coming', async (stage) => {
    const attempt = await stage.start();
    const here = stage.refs(attempt, attempt.alive);
    await stage.release(attempt, { go: [], stay: here, to_come: count - here.length });
    const ids = await stage.up(attempt);
    sameIds(await stage.livingAfter(count), ids, `${here.length} were there and ${count - here.length} were still to come.`, 'Living');
  });

  on('dispose, twice, with a handle and without, leaves nothing and ends nothing of others', async (stage) => {
    const [attempt, other] = [await stage.start(), await stage.start()];
    await stage.up(attempt);
    const ids = await stage.up(other);
    await stage.giveBack(attempt);
    await stage.livingAfter(ids.length);
    await stage.dispose(attempt.order, attempt.handle);
    await stage.dispose(attempt.order, attempt.handle);
    await stage.dispose(attempt.order);
    const unsent = await delivered('prepare', () => stage.order());
    await stage.dispose(unsent);
    await stage.dispose(stage.draft());
    sameIds(await stage.livingAfter(ids.length), ids, 'The other order was not to be disposed of.', 'Living');
    await stage.look(other);
    sameIds(other.alive, ids, 'The other order was not to be disposed of.', 'Seen');
  });
}

/** An id of the same form that is not taken: its last letters and digits are others. */
function unlike(id: string): string {
  const turned = id.replace(/[0-9a-z]{1,8}$/i, (tail) => [...tail].map((each) => (/\d/.test(each) ? '9' : 'f')).join(''));
  return turned === id ? `${id}9` : turned;
}
