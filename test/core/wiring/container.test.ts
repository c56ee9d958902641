import test from 'ava';
import { Container, extensionPoint, token } from '../../../core/wiring/container.ts';
import { contribute, providerApis, schedulers, storages } from '../../../core/wiring/extension-points.ts';
import { definePlugin, isPlugin } from '../../../core/index.ts';

const name = token<string>('name');
const words = extensionPoint<string>('words');

test('a token has its value only in the container where it was set', (t) => {
  const one = new Container().set(name, 'one');
  const two = new Container().set(name, 'two');
  t.is(one.get(name), 'one');
  t.is(two.get(name), 'two');
});

test('a second value and a missing value are errors that name the token', (t) => {
  const container = new Container();
  t.throws(() => container.get(name), { message: "No value is set for 'name'." });
  container.set(name, 'x');
  t.throws(() => container.set(name, 'y'), { message: "'name' is set already." });
});

test('a provided value is made once, at its first use', (t) => {
  let made = 0;
  const container = new Container().provide(name, () => `made ${++made}`);
  t.is(made, 0);
  t.is(container.get(name), 'made 1');
  t.is(container.get(name), 'made 1');
});

test('an extension point keeps the order of its contributions, and is empty without any', (t) => {
  const container = new Container();
  t.deepEqual(container.all(words), []);
  container.add(words, 'a').add(words, 'b');
  t.deepEqual(container.all(words), ['a', 'b']);
});

test('a plugin is recognized by its mark, and its contributions go to the extension points', (t) => {
  const scheduler = { name: 'x' } as never;
  const plugin = definePlugin({ name: 'p', contract: 1, schedulers: [scheduler] });
  t.true(isPlugin(plugin));
  t.false(isPlugin({ name: 'p', contract: 1 }));
  const container = new Container();
  contribute(container, plugin);
  t.deepEqual(container.all(schedulers), [scheduler]);
  t.deepEqual([container.all(providerApis), container.all(storages)], [[], []]);
});
