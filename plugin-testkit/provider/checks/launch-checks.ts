import assert from 'node:assert/strict';
import type { ProviderChecks } from '../check-list.ts';
import { outcomeOf, describeOutcome } from '../answers/outcome.ts';
import { assertSameIds } from '../answers/assert-same-ids.ts';
import { formatValue } from '../answers/format.ts';
import type { ProviderHarness } from '../harness/provider-harness.ts';

/** Checks of launches. */
export function launchChecks({ on, when, subject }: ProviderChecks): void {
  const { kit, count } = subject;

  on('a launch gives the number that was ordered, or fewer with the cause', async (harness) => {
    const attempt = await harness.start();
    await harness.time.until(
      () => harness.look(attempt),
      () => attempt.settled || attempt.stuck,
    );
    assert.ok(
      attempt.settled || attempt.stuck,
      'A launch must come to its end: observe says settled: true when nothing more comes by itself.',
    );
    const came = attempt.machines.size;
    assert.ok(came <= count, `${count} machines were ordered, and ${came} came. An order never gives more.`);
    if (came < count)
      assert.ok(
        attempt.shortfall.length > 0,
        `${count} machines were ordered, ${came} came, and neither launch nor observe gave a shortfall that says why.`,
      );
    const living = await harness.livingAfter(came);
    assert.ok(
      living.length <= count,
      `${count} machines were ordered, and ${living.length} live: ${living.join(', ')}.`,
    );
  });

  on('machines become ready, with a name and an address', async (harness) => {
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    assertSameIds(await harness.living(), ids, 'What is ready lives.', 'Living');
  });

  on('a launch of one machine gives one', async (harness) => {
    const ids = await harness.up(await harness.start({ count: 1 }));
    assertSameIds(await harness.livingAfter(1), ids, 'One machine was ordered.', 'Living');
  });

  on('an id is never used again', async (harness) => {
    const first = await harness.start();
    const old = await harness.up(first);
    await harness.releaseMachines(first);
    await harness.livingAfter(0);
    const again = await harness.up(await harness.start());
    const twice = again.filter((id) => old.includes(id));
    assert.ok(
      twice.length === 0,
      `A machine id must never be used twice in one instance, not even for the same host: ${twice.join(', ')} was released, and came again.`,
    );
  });

  on('the ids that it records for its requests are short texts, and those of two launches differ', async (harness) => {
    const recorded: unknown[][] = [];
    for (const count of [1, 1]) {
      const ids: unknown[] = [];
      const order = await harness.order({ count });
      const call = harness.call({ recordCloudRequest: (id) => void ids.push(id) });
      await harness.launch(order, undefined, call);
      recorded.push(ids);
    }
    for (const id of recorded.flat())
      assert.ok(
        typeof id === 'string' && id !== '' && id.length <= 128,
        `call.recordCloudRequest takes texts of 1 to 128 characters, but was called with ${formatValue(id)}.`,
      );
    const [first = [], second = []] = recorded;
    const both = second.filter((id) => first.includes(id));
    assert.ok(
      both.length === 0,
      `Each request to the provider has an id of its own, but ${both.map(formatValue).join(', ')} was recorded for two launches.`,
    );
  });

  on('reports, handles and data survive storage as JSON', async (harness) => {
    // Every report and handle of the kit passes through JSON; here all other knowledge of the broker is lost as well.
    const attempt = await harness.start();
    const ids = await harness.up(attempt);
    const later = harness.afresh(attempt);
    await harness.up(later);
    assertSameIds(later.alive, ids, 'The handle alone, as stored, must lead to all machines of the order.', 'Seen');
  });

  when(
    kit.room,
    'room: room for a limited number of machines',
    'with room for fewer machines, it gives fewer with the cause',
    async (room, harness) => {
      if (count === 1) return oneOfNone(harness, room);
      await room.call(kit, harness.world, count - 1);
      const order = await harness.order();
      const outcome = await harness.time.untilFinal(() => harness.send(order));
      if (outcome.kind === 'fault') {
        tooFew(outcome.fault.kind);
        return void assertSameIds(await harness.livingAfter(0), [], nothingStarted(outcome.fault.kind), 'Living');
      }
      assert.equal(
        outcome.kind,
        'value',
        `A launch that finds less room gives fewer machines and a shortfall, or a ProviderFault; ${describeOutcome(outcome)}.`,
      );
      const attempt = harness.begun(order, (outcome as Extract<typeof outcome, { kind: 'value' }>).value);
      await harness.time.until(
        () => harness.look(attempt),
        () => attempt.shortfall.length > 0 && (attempt.settled || attempt.stuck),
      );
      const [why] = attempt.shortfall;
      assert.ok(
        why,
        `${count} machines were ordered, there was room for ${count - 1}, ${attempt.machines.size} came, and nothing said why. Seen: ${formatValue({ settled: attempt.settled })}.`,
      );
      tooFew(why.kind);
      assert.ok(
        attempt.machines.size < count,
        `There was room for ${count - 1} machines, and ${attempt.machines.size} came.`,
      );
      assert.ok(
        attempt.settled || attempt.stuck,
        'An order that gets no more machines must report it: settled: true, or stuck: true if the provider retries by itself.',
      );
      await outcomeOf(() => harness.send(order));
      const living = await harness.livingAfter(count - 1);
      assert.ok(
        living.length < count,
        `Sent again, the order must start no more than there is room for; living: ${living.length}.`,
      );
    },
  );
}

async function oneOfNone(harness: ProviderHarness, room: (world: any, machines: number) => unknown): Promise<void> {
  await room.call(harness.subject.kit, harness.world, 0);
  const order = await harness.order();
  const outcome = await harness.time.untilFinal(() => harness.send(order));
  if (outcome.kind === 'fault') return tooFew(outcome.fault.kind);
  assert.ok(
    outcome.kind === 'value',
    `A launch that finds no room gives a shortfall or a ProviderFault; ${describeOutcome(outcome)}.`,
  );
  const attempt = harness.begun(order, outcome.value);
  await harness.time.until(
    () => harness.look(attempt),
    () => attempt.shortfall.length > 0,
  );
  tooFew(attempt.shortfall[0]?.kind);
}

/** The meaning of a launch that throws. */
const nothingStarted = (kind: string): string =>
  `A launch that throws '${kind}' reports that no machine of the order was started, so machines that were started are lost. Return the started machines with a shortfall instead.`;

function tooFew(kind: unknown): void {
  assert.ok(
    kind === 'capacity' || kind === 'quota',
    `Too little room is of kind 'capacity' (no machines now) or 'quota' (a limit of the account), and was '${String(kind)}': the kind decides what is tried next.`,
  );
}
