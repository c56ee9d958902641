import { fileURLToPath } from 'node:url';

/** Plugins of a configuration that does not list plugins. */
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

// In the sources this file lies in config/, in a build in dist/config/. The examples are published unchanged in
// config/.
const examples = import.meta.url.endsWith('.ts') ? './examples' : '../../config/examples';

/** The directory of sample template files. */
export const sampleTemplates = fileURLToPath(new URL(examples, import.meta.url));

/** The configuration that stands in for a missing file: the simulated cloud and sample templates. */
export const withoutFile = {
  templates: { directory: sampleTemplates },
  providers: [{ name: 'simulated', type: 'cloud', config: { endpoint_url: 'simulator:' } }],
};
