import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleTemplates } from '../../../config/samples.ts';
import { makePlace, type Place } from '../../support/boot-broker.ts';

/** A place with what a broker without a configuration has: the sample templates, and a provider called `simulated`. */
export async function makeSamplePlace(): Promise<Place> {
  // Long enough that an example cancels what it has just asked for before it is there, on a busy computer too.
  const place = await makePlace({ knobs: { boot_ms: 2_000 } });
  const config = { endpoint_url: place.simulator.url, access_key_id: 'AKIATEST', secret_access_key: 'test' };
  const configuration = {
    templates: { directory: sampleTemplates },
    providers: [{ name: 'simulated', type: 'cloud', config }],
    server: { rate_limit: { enabled: false } },
  };
  await writeFile(join(place.directory, 'muster.config.json'), JSON.stringify(configuration));
  return place;
}
