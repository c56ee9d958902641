import assert from 'node:assert/strict';
import { isFault, type MachineReport } from '../../../core/index.ts';
import type { ProviderChecks } from '../check-list.ts';
import { assertSameIds } from '../answers/assert-same-ids.ts';
import { formatIds } from '../answers/format.ts';

/** Checks of observations. */
export function observeChecks({ on, when, subject }: ProviderChecks): void {
  const { kit, count } = subject;

  on('observe sees all machines that live, and no others', async (harness) => {
    const before = await harness.start();
    await harness.up(before);
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    await harness.releaseMachines(before);
    await harness.livingAfter(count);
    await harness.look(attempt);
    assertSameIds(attempt.alive, ids, 'observe shows what lives of an order.', 'Seen');
    assertSameIds(await harness.living(), ids, 'observe shows what lives of an order.', 'Living');
    assertSameIds(
      attempt.machines.keys(),
      ids,
      'observe never reports a machine of another order, gone or not.',
      'Ever seen',
    );
  });

  on('observe answers for several orders in one call, in their order, each with its own machines', async (harness) => {
    const attempts = [await harness.start(), await harness.start({ count: 1 }), await harness.start()];
    const ids: string[][] = [];
    for (const attempt of attempts) ids.push(await harness.up(attempt));
    for (const turn of [[0, 1, 2], [2, 0, 1], [1]]) {
      const asked = turn.map((index) => harness.afresh(attempts[index] as (typeof attempts)[number]));
      // A machine that is not listed counts as not visible, never as gone: a provider may show it in the next
      // observation.
      const seen = await harness.time.until(
        () => harness.observe(asked),
        () => turn.every((index, place) => asked[place]?.alive.length === ids[index]?.length),
      );
      for (const [place, index] of turn.entries()) {
        const entry = seen[place];
        assert.ok(entry !== undefined && !isFault(entry), `Entry ${place} must show its order.`);
        assertSameIds(
          asked[place]?.alive ?? [],
          ids[index] ?? [],
          `Asked for orders ${turn.join(', ')} at once, entry ${place} must show order ${index}.`,
          'Seen',
        );
      }
    }
  });

  on('observe of no orders returns an empty list', async (harness) => {
    await harness.observe([]);
  });

  on('two attempts of one request do not see each other', async (harness) => {
    const one = await harness.start();
    const other = await harness.start({ request_id: one.order.request_id, attempt: 2 });
    const [ids, others] = [await harness.up(one), await harness.up(other)];
    const both = ids.filter((id) => others.includes(id));
    assert.ok(
      both.length === 0,
      `Each attempt has machines of its own, also of one request; seen by both: ${formatIds(both)}.`,
    );
    await harness.observe([one, other]);
    assertSameIds(one.alive, ids, 'Asked for together, attempt 1 shows its own.', 'Seen');
    assertSameIds(other.alive, others, 'Asked for together, attempt 2 shows its own.', 'Seen');
  });

  on('an order that is over does not hide another that is asked for with it', async (harness) => {
    const [over, living] = [await harness.start(), await harness.start()];
    await harness.up(over);
    const ids = await harness.up(living);
    await harness.releaseMachines(over);
    await harness.livingAfter(count);
    await harness.dispose(over.order, over.handle);
    const [gone] = await harness.observe([over, living]);
    assertSameIds(
      living.alive,
      ids,
      'What is wrong with one entry is that entry, never a throw.',
      'Seen of the other',
    );
    if (gone !== undefined && !isFault(gone))
      assertSameIds(over.alive, [], 'All its machines were given back.', 'Seen of the one that is over');
  });

  on('a session of a restarted process observes and releases the machines of an earlier one', async (harness) => {
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    const restarted = await harness.connect();
    const later = harness.afresh(attempt);
    await harness.up(later, restarted);
    assertSameIds(
      later.alive,
      ids,
      'What is needed to find machines again is in the handle and the order, never only in memory.',
      'Seen after the restart',
    );
    await harness.releaseMachines(later, undefined, restarted);
    assertSameIds(await harness.livingAfter(0), [], 'All machines were given back after the restart.', 'Living');
  });

  on('observations of an unchanged machine are equal, also with steady: true', async (harness) => {
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    const [first] = await harness.observe([attempt]);
    const [second] = await harness.observe([attempt], undefined, true);
    assert.ok(first && second && !isFault(first) && !isFault(second), 'observe must show an order at rest.');
    assertSameIds(attempt.alive, ids, 'With steady: true, that they live is enough, and they do.', 'Seen at rest');
    assert.ok(second.settled, 'An order at rest stays settled.');
    for (const { machine_id, status, launched_at } of first.machines) {
      const later: MachineReport | undefined = second.machines.find((each) => each.machine_id === machine_id);
      assert.equal(later?.status, status, `Machine ${machine_id} was ${status}, and nothing happened to it.`);
      if (launched_at !== undefined && later?.launched_at !== undefined)
        assert.equal(later.launched_at, launched_at, `launched_at of ${machine_id} never changes.`);
    }
  });

  when(
    kit.endMachine,
    'endMachine: a machine that ends by itself',
    'a machine that ended by itself is no longer shown as living, and the others are',
    async (endMachine, harness) => {
      const attempt = await harness.start();
      const ids = await harness.up(attempt);
      const [ended = '', ...others] = ids;
      await endMachine.call(kit, harness.world, ended);
      await harness.time.until(
        () => harness.look(attempt),
        () => !attempt.alive.includes(ended) && others.every((id) => attempt.alive.includes(id)),
      );
      assert.ok(
        !attempt.alive.includes(ended),
        `Machine ${ended} ended, and observe still calls it ${attempt.machines.get(ended)?.status}.`,
      );
      const missing = others.filter((id) => !attempt.alive.includes(id));
      assert.ok(missing.length === 0, `Only ${ended} ended; observe shows no more: ${formatIds(missing)}.`);
    },
  );
}
