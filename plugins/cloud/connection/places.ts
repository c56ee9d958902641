import { isFault, type Call, type MachineType, type Places } from '../../../core/index.ts';
import { type Memo, once } from './once.ts';
import { pagesOf } from './answers/pages.ts';
import type { CloudSession } from './session.ts';
import { sessionField } from './session-field.ts';

/** The region of the instance with its zones, and the zones of its subnets. */
export async function placesOf(session: CloudSession, call: Call): Promise<Places> {
  const { AvailabilityZones } = await session.read(
    (ec2) => new ec2.DescribeAvailabilityZonesCommand({ Filters: [{ Name: 'state', Values: ['available'] }] }),
    call,
  );
  return {
    regions: [session.settings.region],
    availability_zones: (AvailabilityZones ?? []).flatMap((zone) => zone.ZoneName ?? []).toSorted(),
    zone_of: await subnetZones(session, call),
  };
}

/** The zones of the first thousand subnets. They are only shown, so that a missing permission gives none. */
async function subnetZones(session: CloudSession, call: Call): Promise<Readonly<Record<string, string>>> {
  try {
    const { Subnets } = await session.read((ec2) => new ec2.DescribeSubnetsCommand({ MaxResults: 1_000 }), call);
    return Object.fromEntries(
      (Subnets ?? []).flatMap(({ SubnetId, AvailabilityZone }) =>
        SubnetId && AvailabilityZone ? [[SubnetId, AvailabilityZone]] : [],
      ),
    );
  } catch (error) {
    if (!isFault(error) || error.code !== 'UnauthorizedOperation') throw error;
    return {};
  }
}

const zonesMemo = sessionField((): Memo<readonly string[]> => new Map());

/**
 * The zones of the region that the account may use, in any state: a zone in trouble may be listed in another state,
 * and still has its machines. Loaded once.
 */
export function zonesOf(session: CloudSession, call: Call): Promise<readonly string[]> {
  return once(zonesMemo(session), session.settings.region, async () => {
    const { AvailabilityZones } = await session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), call);
    return (AvailabilityZones ?? []).flatMap((zone) => zone.ZoneName ?? []);
  });
}

/** All machine types of the region, with the properties that HostFactory needs. */
export async function* listMachineTypes(session: CloudSession, call: Call): AsyncGenerator<MachineType> {
  for await (const page of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeInstanceTypesCommand({ MaxResults: 100, ...next }), call),
  )) {
    for (const { InstanceType, VCpuInfo, MemoryInfo, ProcessorInfo } of page.InstanceTypes ?? []) {
      if (!InstanceType) continue;
      const vcpus = VCpuInfo?.DefaultVCpus ?? 1;
      yield {
        name: InstanceType,
        vcpus,
        cores: VCpuInfo?.DefaultCores ?? vcpus,
        memory_mib: MemoryInfo?.SizeInMiB ?? 0,
        arch: ProcessorInfo?.SupportedArchitectures?.at(-1) ?? 'x86_64',
      };
    }
  }
}
