import test from 'ava';
import { codes } from '../../core/contract/errors.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { operations as registered } from '../../core/operations/registry.ts';
import { exitCodeOf } from '../../host/cli/exit-codes.ts';
import { bootBroker } from '../support/boot-broker.ts';
import { calls } from './every-face/calls.ts';
import { everyFace, type Fields, type Refused } from './every-face/faces.ts';
import { prepare } from './every-face/prepare.ts';

const operations: readonly Operation<any, any>[] = registered;

test('every operation is called', (t) => {
  t.deepEqual(Object.keys(calls).toSorted(), operations.map(({ name }) => name).toSorted());
});

test('every operation does and says the same on every face', async (t) => {
  const broker = await bootBroker();
  t.teardown(() => broker.close());
  const found = await prepare(broker, 7, 3);
  const { faces, close } = await everyFace(broker);
  t.teardown(close);
  for (const [name, { input = () => ({}), cli, check = () => true, effect, like }] of Object.entries(calls)) {
    const operation = operations.find((each) => each.name === name) as Operation<any, any>;
    const heard: [string, unknown][] = [];
    const effects: Promise<unknown>[] = [];
    for (const [place, face] of faces.entries()) {
      if (!face.has(operation)) continue;
      const given = input(found(place));
      const { answer, refused } = await face.call(operation, given, cli?.(given));
      t.true(refused === undefined && check(answer), `${name}, ${face.name}: ${JSON.stringify(answer ?? refused)}`);
      if (effect) {
        const [path, isSo] = effect(answer);
        effects.push(broker.until(async () => isSo((await broker.call('GET', path)).body)));
      }
      heard.push([face.name, like ? Object.keys(answer) : steady(answer, operation.kind === 'command')]);
    }
    const [[, first] = []] = heard;
    t.true(heard.length >= 5, name);
    for (const [face, answer] of heard) t.deepEqual(answer, first, `${name}, ${face}`);
    await t.notThrowsAsync(Promise.all(effects), `${name}: what comes of it`);
  }
  await broker.until(async () => Object.keys(broker.simulator.ledger().live).length === 0);
});

test('what is refused is refused alike on every face', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  const { faces, close } = await everyFace(broker);
  t.teardown(close);
  for (const operation of operations) {
    const input = ofNobody(operation);
    if (!input) continue;
    const told = await Promise.all(
      faces.filter((face) => face.has(operation)).map((face) => face.call(operation, input)),
    );
    const [{ code = 'INTERNAL', message = '' } = {}] = told.map(({ refused }) => refused);
    t.regex(code, /_NOT_FOUND$|_MISMATCH$/, `${operation.name}: ${JSON.stringify(told)}`);
    const expected = { code, message, status: codes[code].status, exit: exitCodeOf({ code }) };
    for (const { refused } of told) t.like(expected, refused as Refused, `${operation.name}: ${JSON.stringify(told)}`);
  }
});

test('what is missing is named at once, by every face that takes an object', async (t) => {
  const broker = await bootBroker({ loop: 'none' });
  t.teardown(() => broker.close());
  const { faces, close } = await everyFace(broker);
  t.teardown(close);
  for (const operation of operations) {
    const required = requiredOf(operation);
    if (required.length === 0) continue;
    const told = await Promise.all(
      faces.filter(({ name }) => /SDK|MCP/.test(name)).map((face) => face.call(operation, {})),
    );
    for (const { refused } of told) {
      t.is(refused?.code, 'INVALID_REQUEST', operation.name);
      for (const field of required)
        t.true(refused?.message.includes(`/${field}:`), `${operation.name}: ${refused?.message}`);
    }
  }
});

/** Made in the same moment by nobody else, or known to be different. */
const momentary = new Set(['timestamp', 'selection_time_ms', 'elapsed_ms']);
const owned =
  /\b(req|ret)-[\w-]{36}|\bi-[0-9a-f]{17}\b|\bface-\d\b|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=ip-|^)10[.-]\d+[.-]\d+[.-]\d+/g;

/** An answer without what is of this moment; of commands also without what is of this call. */
function steady(answer: unknown, own: boolean): unknown {
  const text = JSON.stringify(answer, (name, value) => (momentary.has(name) ? typeof value : value));
  return JSON.parse(own ? text.replace(owned, '$1…') : text);
}

const nobody: Fields = {
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

/** An input of things that are not there; undefined where the operation needs none that are. */
function ofNobody(operation: Operation<any, any>): Fields | undefined {
  const required = requiredOf(operation);
  if (required.length === 0 || required.some((field) => !(field in nobody))) return undefined;
  return Object.fromEntries(required.map((field) => [field, nobody[field]]));
}
