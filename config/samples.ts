import { fileURLToPath } from 'node:url';
import type { ValueOrigin } from './sources/layers.ts';

// This file is in config/ of the sources, or in dist/config/ of a build. The examples are published unchanged in
// config/.
const examples = import.meta.url.endsWith('.ts') ? './examples' : '../../config/examples';

/** The directory of sample template files. */
export const sampleTemplates = fileURLToPath(new URL(examples, import.meta.url));

/** The configuration that replaces a missing file: the simulated cloud and sample templates. */
export const withoutFile = {
  templates: { directory: sampleTemplates },
  providers: [{ name: 'simulated', type: 'cloud', config: { endpoint_url: 'simulator:' } }],
};

/** Whether the broker runs on the sample configuration: there is no file, and no other source names a provider. */
export function runsOnSamples({
  file,
  origins,
}: {
  readonly file?: string | undefined;
  readonly origins: ReadonlyMap<string, ValueOrigin>;
}): boolean {
  return file === undefined && origins.get('/providers/0/name')?.origin === 'default';
}
