import test from 'ava';
import { makePlace } from '../../support/boot-broker.ts';
import { execCli } from '../../support/run-cli.ts';

test('the check of an instance that does not answer fails with its reason, and its JSON stays complete', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const check = (...more: readonly string[]) =>
    execCli(['providers', 'check', 'east', '--no-server', ...more], { cwd: place.directory });
  const well = await check();
  t.is(well.code, 0, well.err);
  place.simulator.setKnobs({ auth: { denied: [{ action: '*' }] } });
  const shown = await check('--output', 'json');
  t.is(shown.code, 5);
  const { name, answered, fault } = JSON.parse(shown.out);
  t.deepEqual([name, answered], ['east', false]);
  t.true(shown.err.includes(`muster: provider instance 'east' does not answer: ${fault.message}`), shown.err);
});
