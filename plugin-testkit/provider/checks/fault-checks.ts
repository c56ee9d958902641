import assert from 'node:assert/strict';
import type { ProviderChecks } from '../check-list.ts';
import { outcomeOf, describeOutcome } from '../answers/outcome.ts';
import type { LaunchFaultKind } from '../provider-kit.ts';
import { assertSameIds } from '../answers/assert-same-ids.ts';
import { formatIds } from '../answers/format.ts';
import { secretsIn } from '../harness/schema-fields.ts';
import type { ProviderHarness } from '../harness/provider-harness.ts';

const sentences: Readonly<Record<LaunchFaultKind, string>> = {
  capacity: 'without capacity, the launch reports capacity',
  quota: 'when the account has reached a limit, the launch reports quota',
  throttled: 'when calls are throttled, the launch reports throttled, and starts its machines when it is sent again',
  credentials: 'when the credentials are refused, the launch reports credentials',
  invalid: 'when the provider refuses the parameters, the launch reports invalid',
  unavailable:
    'when the provider was certainly not reached, the launch reports unavailable, and starts its machines when it is sent again',
};

/** Fault kinds after which the broker sends the same order again; after the others the order is over. */
const again: ReadonlySet<string> = new Set(['throttled', 'unavailable']);

/** Checks of the fault kinds, which determine what the broker does next. */
export function faultChecks({ when, subject }: ProviderChecks): void {
  const { kit, count } = subject;

  for (const kind of Object.keys(sentences) as LaunchFaultKind[])
    when(
      kit.faults?.[kind],
      `faults.${kind}: a launch that fails with this kind`,
      sentences[kind],
      async (fail, harness) => {
        const session = await harness.session();
        const draft = harness.draft();
        let order = draft;
        const outcome = await outcomeOf(async () => {
          order = await harness.prepare(draft, session);
          await fail.call(kit.faults, harness.world);
          return harness.send(order, session);
        });
        if (outcome.kind === 'value') await assertShort(harness, order, outcome.value, kind);
        else {
          assert.ok(
            outcome.kind === 'fault',
            `A launch that fails throws a ProviderFault of kind '${kind}': ${describeOutcome(outcome)}.`,
          );
          assert.equal(
            outcome.fault.kind,
            kind,
            `The launch must report '${kind}', because the kind determines what the broker does next; ${describeOutcome(outcome)}.`,
          );
          assert.ok(
            outcome.fault.message !== '',
            `A fault must state in a sentence what happened; this one of kind '${kind}' has no message.`,
          );
          const wait = outcome.fault.retry_after_ms;
          assert.ok(
            wait === undefined || (Number.isFinite(wait) && wait >= 0),
            `retry_after_ms must be a number of milliseconds, but is ${wait}.`,
          );
          assertNoSecret(harness, outcome.fault);
        }
        if (!again.has(kind))
          return void assertSameIds(
            await harness.livingAfter(0),
            [],
            `After '${kind}' the order is over, and nothing of it may live.`,
            'Living',
          );
        const answered = await harness.time.until(
          () => outcomeOf(() => harness.send(order, session)),
          (each) => each.kind === 'value',
        );
        assert.ok(
          answered.kind === 'value',
          `After '${kind}' the same order, sent again, must be answered: ${describeOutcome(answered)}.`,
        );
        const ids = await harness.up(harness.begun(order, answered.value));
        assertSameIds(
          await harness.livingAfter(count),
          ids,
          `After '${kind}' nothing was done, and the order sent again is the only one.`,
          'Living',
        );
      },
    );
}

/** Missing capacity and an exceeded quota may also be reported as a shortfall. */
async function assertShort(harness: ProviderHarness, order: any, launch: any, kind: LaunchFaultKind): Promise<void> {
  assert.ok(
    kind === 'capacity' || kind === 'quota',
    `The launch must throw a ProviderFault of kind '${kind}', and gave an answer.`,
  );
  const attempt = harness.begun(order, launch);
  await harness.time.until(
    () => harness.look(attempt),
    () => attempt.shortfall.some((each) => each.kind === kind),
  );
  const kinds = attempt.shortfall.map((each) => `${each.kind} (${each.message})`);
  assert.ok(
    attempt.shortfall.some((each) => each.kind === kind),
    `A launch that starts nothing for '${kind}' throws that fault, or gives a shortfall of that kind; seen: ${formatIds(kinds)}.`,
  );
  assert.ok(
    attempt.settled || attempt.stuck,
    'An order that gets nothing must report it: settled: true, or stuck: true if the provider retries by itself.',
  );
  if (!attempt.settled) await harness.release(attempt, { go: [], stay: [], incoming: 0 });
}

function assertNoSecret({ subject, config, lines }: ProviderHarness, fault: Error): void {
  for (const { name, value } of secretsIn(subject.type.config, config)) {
    assert.ok(
      !fault.message.includes(value),
      `The message of a fault must not contain config.${name}, which is a secret.`,
    );
    assert.ok(
      !lines.some((line) => line.includes(value)),
      `The log must not contain config.${name}, which is a secret.`,
    );
  }
}
