import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { makePlace, until } from '../support/boot-broker.ts';
import { testDatabase } from '../support/postgres-database.ts';
import { launcher } from '../support/run-cli.ts';

const page = readFileSync(new URL('../../docs/guides/several-brokers.md', import.meta.url), 'utf8');

/** The commands of a part of the page, for a database of the test. */
function commandsOf(part: string, url: string): string {
  const block = new RegExp(`<!-- ${part} -->\\s+\`\`\`sh\\n([^\`]*)\`\`\``).exec(page)?.[1];
  if (block === undefined) throw new Error(`The page has no commands between <!-- ${part} --> marks.`);
  return block.replaceAll(/'postgres:[^']*'/g, `'${url}'`);
}

test('the guide leads from SQLite to PostgreSQL and back, with machines that live on', async (t) => {
  const database = await testDatabase();
  t.teardown(() => database.remove());
  const place = await makePlace({
    configuration: { plugins: undefined, server: { port: 0, rate_limit: { enabled: false } } },
  });
  t.teardown(() => place.close());
  const file = join(place.directory, 'muster.config.json');
  const configuration = JSON.parse(readFileSync(file, 'utf8'));
  const url = database.server.url.replace('muster@', 'muster:CHANGE-ME@');
  const run = async (script: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', script], {
      cwd: place.directory,
      env: { ...process.env, PATH: `${dirname(launcher)}${delimiter}${process.env['PATH']}`, ...env },
    });
    return stdout + stderr;
  };
  const end = () => run('muster server stop || true');
  t.teardown(end);
  await run('muster server start');
  const requested = await run('muster requests create small 2 --wait --output json');
  const machines = requested.match(/i-[0-9a-f]{8,}/g) ?? [];
  t.true(machines.length >= 2, requested);

  const moved = await run(commandsOf('move', url));
  t.regex(moved, /copied +true/);
  writeFileSync(file, JSON.stringify({ ...configuration, storage: { type: 'postgres' } }));
  const begun = await run(commandsOf('brokers', url));
  t.regex(begun, /runs in the background/);
  await until(async () => / live /.test(await run('muster brokers list', { MUSTER_STORAGE_URL: url })));
  t.regex(begun, /valid +true/);
  const listed = await run('muster machines list', { MUSTER_STORAGE_URL: url });
  for (const machine of new Set(machines)) t.true(listed.includes(machine), listed);
  const returned = await run(`muster machines return ${[...new Set(machines)].join(' ')} --wait`, {
    MUSTER_STORAGE_URL: url,
  });
  t.regex(returned, /completed/);
  t.deepEqual(Object.values(place.simulator.ledger().live).flat(), []);
  await end();
  const back = await run(
    'muster storage backup copy.db && muster storage check --file copy.db && muster storage copy --to data/muster.db --replace',
    { MUSTER_STORAGE_URL: url },
  );
  t.regex(back, /copied +true/);
  t.notRegex([moved, begun, listed, returned, back].join(''), /CHANGE-ME/);
  writeFileSync(file, JSON.stringify(configuration));
  t.regex(
    await run('muster server start && muster storage check && muster requests list --all-resources'),
    /completed/,
  );
});
