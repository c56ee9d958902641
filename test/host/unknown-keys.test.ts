import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker, makePlace, startBroker } from '../support/boot-broker.ts';

const machine = {
  provider_api: 'RunInstances',
  image_id: 'ami-1',
  machine_type: 't3.small',
  subnet_ids: ['subnet-1'],
};
const templates = [
  { template_id: 'small', ...machine, max_instance: 3 },
  { template_id: 'far', ...machine, colour_of_the_rack: 'blue' },
];

test('a misspelt limit is an error in strict validation and a warning in lenient; what is near nothing is neither', async (t) => {
  const broker = await bootBroker({ storage: 'memory', loop: 'none', templates });
  t.teardown(() => broker.close());
  const judged = async (template_id: string, validation_level: string) =>
    (await broker.call('POST', `/templates/${template_id}/validate`, { provider_instance: 'east', validation_level }))
      .body;
  const said = /^\/max_instance: unknown field.*did you mean 'max_instances'\? 'max_instances' is not set/;
  const strict = await judged('small', 'strict');
  t.false(strict.valid);
  t.regex(strict.errors.join(), said);
  const lenient = await judged('small', 'lenient');
  t.true(lenient.valid);
  t.regex(lenient.warnings.join(), said);
  t.like(await judged('far', 'strict'), { valid: true, errors: [], warnings: [] });
  const { incompatible_providers } = (await broker.call('POST', '/templates/small/validate-multi', {})).body;
  t.deepEqual(incompatible_providers, ['east']);
  // In files a warning: the template is there.
  t.is((await broker.call('GET', '/templates/small')).status, 200);
  const { cacheStats } = (await broker.call('POST', '/templates/refresh')).body;
  t.deepEqual(cacheStats.errors, []);
  t.regex(cacheStats.warnings.join(), /template 'small'.*'max_instances' is not set, so the number/);
});

test('a start warns of unknown keys in the configuration and in template files', async (t) => {
  const place = await makePlace({ templates });
  t.teardown(() => place.close());
  const config = {
    endpoint_url: place.simulator.url,
    access_key_id: 'AKIATEST',
    secret_access_key: 'test',
    regoin: 'us-east-1',
  };
  await writeFile(
    join(place.directory, 'muster.config.json'),
    JSON.stringify({ providers: [{ name: 'east', type: 'cloud', config }] }),
  );
  const broker = await startBroker({ place });
  t.teardown(() => broker.stop());
  t.regex(
    broker.output.stderr,
    /"level":"warn".*config\/regoin: unknown field, kept as it is; did you mean 'region'\?/,
  );
  t.regex(broker.output.stderr, /"level":"warn".*template 'small'.*'max_instances' is not set/);
});
