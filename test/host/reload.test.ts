import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makePlace, startBroker, until, type StartedBroker } from '../support/boot-broker.ts';

const plugin = (version: number) =>
  `export default { [Symbol.for('muster.plugin')]: true, name: 'mine', contract: 1, eventSinks: [{ name: 'mine-${version}', deliver: async () => {} }] };\n`;

const startsOf = (broker: StartedBroker) => broker.output.stderr.split(' answers at ').length - 1;
const tellOnFailure = (t: ExecutionContext, broker: StartedBroker) =>
  t.teardown(() => void (t.passed || t.log(broker.output.stderr)));

test('with --reload a change of the configuration or of a plugin restarts the server; if the new state cannot start, the server continues', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const file = join(place.directory, 'muster.config.json');
  const configuration = JSON.parse(readFileSync(file, 'utf8'));
  const write = (changed: object) => writeFileSync(file, JSON.stringify({ ...configuration, ...changed }));
  const plugins = [...configuration.plugins, './mine.mjs'];
  writeFileSync(join(place.directory, 'mine.mjs'), plugin(1));
  write({ plugins });
  const broker = await startBroker({ place, args: ['--reload'] });
  t.teardown(() => broker.stop());
  tellOnFailure(t, broker);
  const pid = () => JSON.parse(readFileSync(join(place.directory, 'data/server.json'), 'utf8')).pid as number;
  const started = () => startsOf(broker);
  const first = pid();
  t.not(first, broker.pid);

  writeFileSync(join(place.directory, 'mine.mjs'), plugin(2));
  await until(async () => started() === 2);
  t.regex(broker.output.stderr, /mine\.mjs changed; muster restarts\./);
  const second = pid();
  t.not(second, first);

  write({ plugins, schedular: 'x' });
  await until(async () => broker.output.stderr.includes('muster continues unchanged'));
  t.regex(broker.output.stderr, /did you mean 'scheduler'/);
  t.is(pid(), second);
  const { port } = JSON.parse(readFileSync(join(place.directory, 'data/server.json'), 'utf8')) as { port: number };
  t.is((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200);
  process.kill(second, 'SIGKILL');
  await until(async () => broker.output.stderr.includes('it restarts when a file changes'));
  write({ plugins });
  await until(async () => started() === 3);
  const third = pid();

  t.is(await broker.kill('SIGTERM'), 0);
  t.throws(() => process.kill(third, 0), { code: 'ESRCH' });
});

test('a change that comes while the server starts, before its files are watched, restarts it too', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const file = join(place.directory, 'muster.config.json');
  const configuration = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...configuration, plugins: [...configuration.plugins, './mine.mjs'] }));
  // Whoever reads the first version finds the second one when he looks again.
  const changes = `import { writeFileSync } from 'node:fs';\nwriteFileSync(import.meta.filename, ${JSON.stringify(plugin(2))});\n`;
  writeFileSync(join(place.directory, 'mine.mjs'), changes + plugin(1));
  const broker = await startBroker({ place, args: ['--reload'] });
  t.teardown(() => broker.stop());
  tellOnFailure(t, broker);
  await until(async () => startsOf(broker) === 2);
  t.regex(broker.output.stderr, /mine\.mjs changed; muster restarts\./);
  t.is(await broker.kill('SIGTERM'), 0);
});
