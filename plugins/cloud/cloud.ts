import { defineProviderType } from '../../core/index.ts';
import { discover } from './account/discover.ts';
import { setup } from './account/setup.ts';
import { cloudChecks } from './checks/cloud-checks.ts';
import { instanceType, region } from './catalogue/index.ts';
import { CloudConfig, servesApi } from './config.ts';
import { cloudFields, type CloudTemplate } from './template/fields.ts';
import { ownedBy, removeOrphans } from './release/owned.ts';
import { listMachineTypes, placesOf } from './connection/places.ts';
import { machineTypesOf } from './launch/pools.ts';
import { offerTerms } from './prices/offer-terms.ts';
import { connect, type CloudSession } from './connection/session.ts';
import { interruptionQueue } from './notices/interruption-queue.ts';
import { whichLive } from './observe/which-live.ts';

/** The provider type `cloud`: AWS, one region of one account. */
export const cloud = defineProviderType<typeof CloudConfig, CloudSession>({
  type: 'cloud',
  aliases: ['aws'],
  config: CloudConfig,
  fields: cloudFields,
  prefers: ['EC2Fleet', 'RunInstances', 'SpotFleet', 'ASG'],
  connect,
  serves: servesApi,
  // The configured URL, not the resolved one: the port of a resolved `simulator:` URL changes with every start, and
  // the cloud does not.
  async identity(session, call) {
    const { region, endpoint_url, endpoints } = session.settings;
    return [await session.account(call), region, endpoints.ec2 ?? endpoint_url ?? ''].join('|');
  },
  async check(session, call) {
    await session.read(
      (ec2) => new ec2.DescribeAvailabilityZonesCommand({ Filters: [{ Name: 'state', Values: ['available'] }] }),
      call,
    );
  },
  async close(session) {
    session.close();
  },
  state: (session) => session.state(),
  machineTypeOf(template, known) {
    const [name] = machineTypesOf(template as CloudTemplate);
    if (name === undefined) return undefined;
    const bundled = instanceType(name);
    return (
      known(name) ??
      (bundled && {
        name,
        vcpus: bundled.vcpus,
        cores: bundled.cores,
        memory_mib: bundled.memory_mib,
        arch: bundled.arch,
      })
    );
  },
  offerTerms: (offers, template, config, known) => offerTerms(offers, template as CloudTemplate, config, known),
  places: placesOf,
  presumedPlaces({ region: name = 'us-east-1' }) {
    return { regions: [name], availability_zones: region(name)?.zones.map(({ zone }) => zone) ?? [] };
  },
  discover,
  setup,
  checks: cloudChecks,
  machineTypes: listMachineTypes,
  owned: ownedBy,
  whichLive,
  notices: interruptionQueue,
  remove: removeOrphans,
});
