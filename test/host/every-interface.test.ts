import test from 'ava';
import { codes } from '../../core/contract/errors.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { operations as registered } from '../../core/operations/registry.ts';
import { exitCodeOf } from '../../host/cli/exit-codes.ts';
import { bootBroker } from '../support/boot-broker.ts';
import { calls } from './every-interface/calls.ts';
import { everyInterface, type Fields, type Refusal } from './every-interface/interfaces.ts';
import { prepare } from './every-interface/prepare.ts';

const operations: readonly Operation<any, any>[] = registered;

test('every operation is called', (t) => {
  t.deepEqual(Object.keys(calls).toSorted(), operations.map(({ name }) => name).toSorted());
});

test('every operation has the same effect and answer on every interface', async (t) => {
  const budgets = [{ name: 'all', max_machines: 1_000, max_usd_per_hour: 1_000 }];
  const broker = await bootBroker({ configuration: { budgets } });
  t.teardown(() => broker.close());
  const found = await prepare(broker, 7, 3);
  const { interfaces, close } = await everyInterface(broker);
  t.teardown(close);
  for (const [name, { input = () => ({}), cli, check = () => true, effect, like }] of Object.entries(calls)) {
    const operation = operations.find((each) => each.name === name) as Operation<any, any>;
    const answers: [string, unknown][] = [];
    const effects: Promise<unknown>[] = [];
    for (const [index, each] of interfaces.entries()) {
      if (!each.has(operation)) continue;
      const given = input(found(index));
      const { answer, refused } = await each.call(operation, given, cli?.(given));
      t.true(refused === undefined && check(answer), `${name}, ${each.name}: ${JSON.stringify(answer ?? refused)}`);
      if (effect) {
        const [path, isSo] = effect(answer);
        effects.push(broker.until(async () => isSo((await broker.call('GET', path)).body)));
      }
      answers.push([each.name, like ? Object.keys(answer) : steady(answer, operation.kind === 'command')]);
    }
    const [[, first] = []] = answers;
    t.true(answers.length >= 5, name);
    for (const [where, answer] of answers) t.deepEqual(answer, first, `${name}, ${where}`);
    await t.notThrowsAsync(Promise.all(effects), `${name}: its effect`);
  }
  await broker.until(async () => Object.keys(broker.simulator.ledger().live).length === 0);
});

test('every interface refuses the same input with the same code and message', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  const { interfaces, close } = await everyInterface(broker);
  t.teardown(close);
  for (const operation of operations) {
    const input = inputOfMissing(operation);
    if (!input) continue;
    const answers = await Promise.all(
      interfaces.filter((each) => each.has(operation)).map((each) => each.call(operation, input)),
    );
    const [{ code = 'INTERNAL', message = '' } = {}] = answers.map(({ refused }) => refused);
    t.regex(code, /_NOT_FOUND$|_MISMATCH$/, `${operation.name}: ${JSON.stringify(answers)}`);
    const expected = { code, message, status: codes[code].status, exit: exitCodeOf({ code }) };
    for (const { refused } of answers)
      t.like(expected, refused as Refusal, `${operation.name}: ${JSON.stringify(answers)}`);
  }
});

test('every interface that takes an object names all missing fields at once', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  const { interfaces, close } = await everyInterface(broker);
  t.teardown(close);
  for (const operation of operations) {
    const required = requiredOf(operation);
    if (required.length === 0) continue;
    const answers = await Promise.all(
      interfaces.filter(({ name }) => /SDK|MCP/.test(name)).map((each) => each.call(operation, {})),
    );
    for (const { refused } of answers) {
      t.is(refused?.code, 'INVALID_REQUEST', operation.name);
      for (const field of required)
        t.true(refused?.message.includes(`/${field}:`), `${operation.name}: ${refused?.message}`);
    }
  }
});

/** Fields whose values differ at each call. */
const momentary = new Set(['timestamp', 'selection_time_ms', 'elapsed_ms', 'usd_so_far']);
const owned =
  /\b(req|ret)-[\w-]{36}|\bi-[0-9a-f]{17}\b|\binterface-\d\b|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=ip-|^)10[.-]\d+[.-]\d+[.-]\d+/g;

/** An answer without the values that differ at each call; for commands also without ids, addresses and times. */
function steady(answer: unknown, own: boolean): unknown {
  const text = JSON.stringify(answer, (name, value) => (momentary.has(name) ? typeof value : value));
  return JSON.parse(own ? text.replace(owned, '$1…') : text);
}

const missing: Fields = {
  request_id: 'req-none',
  template_id: 'none',
  machine_id: 'i-none',
  machine_ids: ['i-none'],
  provider_name: 'none',
  provider_instance: 'none',
  provider_type: 'none',
  environment_variables: {},
  machine_count: 1,
  status: 'cancelled',
};

const requiredOf = ({ input }: Operation<any, any>): readonly string[] =>
  (input as { readonly required?: readonly string[] }).required ?? [];

/** An input that names resources which do not exist; undefined if the operation requires none. */
function inputOfMissing(operation: Operation<any, any>): Fields | undefined {
  const required = requiredOf(operation);
  if (required.length === 0 || required.some((field) => !(field in missing))) return undefined;
  return Object.fromEntries(required.map((field) => [field, missing[field]]));
}
