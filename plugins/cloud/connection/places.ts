import type { Call, MachineType, Places } from '../../../core/index.ts';
import { type Memo, once } from './once.ts';
import { pagesOf } from './answers/pages.ts';
import type { CloudSession } from './session.ts';
import { sessionField } from './session-field.ts';

/** The region of the instance with its zones. */
export async function placesOf(session: CloudSession, call: Call): Promise<Places> {
  const { AvailabilityZones } = await session.read(
    (ec2) => new ec2.DescribeAvailabilityZonesCommand({ Filters: [{ Name: 'state', Values: ['available'] }] }),
    call,
  );
  return {
    regions: [session.settings.region],
    availability_zones: (AvailabilityZones ?? []).flatMap((zone) => zone.ZoneName ?? []).toSorted(),
  };
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
