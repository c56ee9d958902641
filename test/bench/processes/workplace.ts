import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();

interface InstanceFields {
  readonly limits?: { readonly max_instances_per_request: number };
  readonly sweep?: 'off';
}

/**
 * A data directory with configuration and templates; `cloud` is laid over the configuration of the provider instance,
 * `instance` over the instance, `more` over the whole. `BENCH_DIR` names the disk that is measured; default: the one
 * for temporary files.
 */
export function workplace(cloud: object = {}, instance: InstanceFields = {}, more: object = {}): string {
  const directory = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'muster-bench-'));
  made.add(directory);
  writeFileSync(join(directory, 'templates.json'), JSON.stringify({ templates }));
  writeFileSync(
    join(directory, 'muster.config.json'),
    JSON.stringify({ ...configurationWith(cloud, instance), ...more }),
  );
  return directory;
}

/** Removes all of them; a simulated cloud ends when its directory is gone. */
export function clearWorkplaces(): void {
  for (const directory of made) rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  made.clear();
}

const launch = {
  image_id: 'ami-067bea1a7acde1586',
  security_group_ids: ['sg-0a4f686db37e6d6a1'],
  max_instances: -1,
  tags: { team: 'bench' },
};

const fleet = {
  ...launch,
  provider_api: 'EC2Fleet',
  machine_types: { 'm5.large': 1, 'm5a.large': 1, 'm6i.large': 1 },
  subnet_ids: ['subnet-0e24c7ca3264c9054', 'subnet-0c2d2d8f45fc0b149'],
};

const templates = [
  {
    ...launch,
    template_id: 'run',
    provider_api: 'RunInstances',
    machine_type: 't3.small',
    subnet_ids: ['subnet-0e24c7ca3264c9054'],
  },
  { ...fleet, template_id: 'fleet', fleet_type: 'instant' },
  { ...fleet, template_id: 'maintain', fleet_type: 'maintain' },
];

const configurationWith = (cloud: object, instance: InstanceFields) => ({
  providers: [{ name: 'simulated', type: 'cloud', ...instance, config: { endpoint_url: 'simulator:', ...cloud } }],
  server: { max_pending: 10_000_000, rate_limit: { enabled: false }, log_level: 'warn' },
});
