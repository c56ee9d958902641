import { fileURLToPath } from 'node:url';

/** Plugins of a configuration that names none. */
export const defaultPlugins = [
  'cloud',
  'cloud-runinstances',
  'cloud-ec2fleet',
  'cloud-spotfleet',
  'cloud-asg',
  'cloud-simulator',
  'default-format',
  'hostfactory-format',
  'storage-sqlite',
];

// From the sources this file is in config/, from a build in dist/config/; the examples are shipped as they are in config/.
const examples = import.meta.url.endsWith('.ts') ? './examples' : '../../config/examples';

/** Template files to try the broker with. */
export const sampleTemplates = fileURLToPath(new URL(examples, import.meta.url));

/** What the broker runs on when there is no configuration file at all: the simulated cloud and sample templates. */
export const withoutFile = {
  templates: { directory: sampleTemplates },
  providers: [{ name: 'simulated', type: 'cloud', config: { endpoint_url: 'simulator:' } }],
};
