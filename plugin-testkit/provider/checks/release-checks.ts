import assert from 'node:assert/strict';
import type { ProviderChecks } from '../check-list.ts';
import { delivered } from '../answers/outcome.ts';
import { assertSameIds } from '../answers/assert-same-ids.ts';
import { formatIds } from '../answers/format.ts';

/** Checks of releases. */
export function releaseChecks({ on, subject }: ProviderChecks): void {
  const { count } = subject;

  on('release ends exactly the machines that it names, and nothing takes their place', async (harness) => {
    const attempt = await harness.start();
    const [gone = '', ...others] = await harness.up(attempt);
    await harness.releaseMachines(attempt, [gone]);
    assertSameIds(
      await harness.livingAfter(others.length),
      others,
      `Only ${gone} was to go, and nothing was to come.`,
      'Living',
    );
    await harness.time.until(
      () => harness.look(attempt),
      () => !attempt.alive.includes(gone),
    );
    assertSameIds(attempt.alive, others, 'observe must agree.', 'Seen');
  });

  on('release of the rest, and then of all again, is a success', async (harness) => {
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    const refs = harness.refs(attempt, ids);
    await harness.releaseMachines(attempt, ids.slice(0, 1));
    await harness.livingAfter(ids.length - 1);
    await harness.release(attempt, { go: refs, stay: [], incoming: 0 });
    assertSameIds(await harness.livingAfter(0), [], 'All were named.', 'Living');
    await harness.release(attempt, { go: refs, stay: [], incoming: 0 });
    await harness.release(attempt, { go: [], stay: [], incoming: 0 });
  });

  on('release of one machine twice ends no other', async (harness) => {
    const attempt = await harness.start();
    const [gone = '', ...others] = await harness.up(attempt);
    const aim = { go: harness.refs(attempt, [gone]), stay: harness.refs(attempt, others), incoming: 0 };
    await harness.release(attempt, aim);
    await harness.release(attempt, aim);
    assertSameIds(
      await harness.livingAfter(others.length),
      others,
      `Only ${gone} was to go, however often it was said.`,
      'Living',
    );
    await harness.release(attempt, aim);
    assertSameIds(
      await harness.livingAfter(others.length),
      others,
      `Only ${gone} was to go, also when it was gone.`,
      'Living',
    );
  });

  on('release of all machines at once leaves none', async (harness) => {
    const attempt = await harness.start();
    await harness.up(attempt);
    await harness.releaseMachines(attempt);
    assertSameIds(await harness.livingAfter(0), [], 'All were to go, and nothing was to come.', 'Living');
    await harness.time.until(
      () => harness.look(attempt),
      () => attempt.alive.length === 0 && attempt.settled,
    );
    assert.ok(
      attempt.settled,
      'An order that was stopped and has no machine is settled: nothing more comes by itself.',
    );
  });

  on('release of an unknown machine is a success and ends no other', async (harness) => {
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    const [like] = harness.refs(attempt, ids.slice(0, 1));
    assert.ok(like, 'A machine is up.');
    // The machine is old enough to be gone rather than not yet visible, and its id has the same form as the others.
    const notOurs = { ...like, machine_id: unlike(like.machine_id), launched_at: '2020-01-01T00:00:00.000Z' };
    await harness.release(attempt, { go: [notOurs], stay: harness.refs(attempt, ids), incoming: 0 });
    assertSameIds(await harness.livingAfter(ids.length), ids, 'None of these was named.', 'Living');
    await harness.release(attempt, { go: [notOurs, like], stay: harness.refs(attempt, ids.slice(1)), incoming: 0 });
    assertSameIds(
      await harness.livingAfter(ids.length - 1),
      ids.slice(1),
      `${like.machine_id} was named together with an unknown machine.`,
      'Living',
    );
  });

  on('release of one order leaves the machines of another', async (harness) => {
    const [one, other] = [await harness.start(), await harness.start()];
    await harness.up(one);
    const ids = await harness.up(other);
    await harness.releaseMachines(one);
    assertSameIds(
      await harness.livingAfter(ids.length),
      ids,
      'Only the machines of the other order were to go.',
      'Living',
    );
  });

  on('release with nothing to come, straight after the launch, means that nothing comes later', async (harness) => {
    const attempt = await harness.start();
    const here = [...attempt.alive];
    await harness.release(attempt, { go: [], stay: harness.refs(attempt, here), incoming: 0 });
    const before = await harness.living();
    await harness.time.quiet();
    const later = (await harness.living()).filter((id) => !before.includes(id));
    assert.ok(
      later.length === 0,
      `After a release with incoming: 0 is done, nothing arrives any more; came later: ${formatIds(later)}.`,
    );
    const cut = here.filter((id) => !before.includes(id));
    assert.ok(cut.length === 0, `They were to stay (go: []), and ended: ${formatIds(cut)}.`);
    await harness.time.until(
      () => harness.look(attempt),
      () => attempt.settled,
    );
    assert.ok(attempt.settled, 'An order that was stopped is settled: nothing more comes by itself.');
    await harness.releaseMachines(attempt);
    assertSameIds(await harness.livingAfter(0), [], 'What came before it was stopped can be released.', 'Living');
  });

  on('release with machines still to come does not keep them from coming', async (harness) => {
    const attempt = await harness.start();
    const here = harness.refs(attempt, attempt.alive);
    await harness.release(attempt, { go: [], stay: here, incoming: count - here.length });
    const ids = await harness.up(attempt);
    assertSameIds(
      await harness.livingAfter(count),
      ids,
      `${here.length} were there and ${count - here.length} were still to come.`,
      'Living',
    );
  });

  on('dispose, twice, with a handle and without, leaves nothing and ends nothing of others', async (harness) => {
    const [attempt, other] = [await harness.start(), await harness.start()];
    await harness.up(attempt);
    const ids = await harness.up(other);
    await harness.releaseMachines(attempt);
    await harness.livingAfter(ids.length);
    await harness.dispose(attempt.order, attempt.handle);
    await harness.dispose(attempt.order, attempt.handle);
    await harness.dispose(attempt.order);
    const unsent = await delivered('prepare', () => harness.order());
    await harness.dispose(unsent);
    await harness.dispose(harness.draft());
    assertSameIds(await harness.livingAfter(ids.length), ids, 'The other order was not to be disposed of.', 'Living');
    await harness.look(other);
    assertSameIds(other.alive, ids, 'The other order was not to be disposed of.', 'Seen');
  });
}

/** An unused id of the same form: its last letters and digits are replaced. */
function unlike(id: string): string {
  const turned = id.replace(/[0-9a-z]{1,8}$/i, (tail) =>
    [...tail].map((each) => (/\d/.test(each) ? '9' : 'f')).join(''),
  );
  return turned === id ? `${id}9` : turned;
}
