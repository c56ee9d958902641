import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makePlace, startBroker, until, type StartedBroker } from '../support/boot-broker.ts';
import { variants } from '../support/variants.ts';

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

/** What the first reader of a plugin does: whoever looks again finds another plugin. */
const replacements: Readonly<Record<string, (folder: string) => string>> = {
  'a file that is written': (folder) => {
    writeFileSync(
      join(folder, 'mine.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(import.meta.filename, ${JSON.stringify(plugin(2))});\n${plugin(1)}`,
    );
    return './mine.mjs';
  },
  'an old file that is moved there': (folder) => {
    const old = join(folder, 'old.txt');
    writeFileSync(old, plugin(2));
    utimesSync(old, 1_000, 1_000);
    writeFileSync(
      join(folder, 'mine.mjs'),
      `import { renameSync } from 'node:fs';\nrenameSync(${JSON.stringify(old)}, import.meta.filename);\n${plugin(1)}`,
    );
    return './mine.mjs';
  },
  'a file of a folder that has a link to itself': (folder) => {
    const own = join(folder, 'own');
    mkdirSync(own);
    symlinkSync('loop.js', join(own, 'loop.js'));
    writeFileSync(join(own, 'version.mjs'), 'export const version = 1;\n');
    writeFileSync(
      join(own, 'index.mjs'),
      `import { readFileSync, writeFileSync } from 'node:fs';
import { version } from './version.mjs';
const file = new URL('version.mjs', import.meta.url);
if (readFileSync(file, 'utf8').includes('= 1')) writeFileSync(file, 'export const version = 2;\\n');
${plugin(1)}`,
    );
    return './own';
  },
};

for (const [what, write] of variants(Object.entries(replacements)))
  test(`a change that comes while the server starts, before its files are watched, restarts it too: ${what}`, async (t) => {
    const place = await makePlace();
    t.teardown(() => place.close());
    const file = join(place.directory, 'muster.config.json');
    const configuration = JSON.parse(readFileSync(file, 'utf8'));
    const plugins = [...configuration.plugins, write(place.directory)];
    writeFileSync(file, JSON.stringify({ ...configuration, plugins }));
    const broker = await startBroker({ place, args: ['--reload'] });
    t.teardown(() => broker.stop());
    tellOnFailure(t, broker);
    await until(async () => startsOf(broker) === 2);
    t.regex(broker.output.stderr, /(mine|version)\.mjs changed; muster restarts\./);
    t.is(await broker.kill('SIGTERM'), 0);
  });
