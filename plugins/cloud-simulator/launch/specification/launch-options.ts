import type { CatalogueInstanceType } from '../../catalogue.ts';
import { factsOf } from '../../type-facts.ts';
import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { flag, integer, oneOf } from '../../wire/values.ts';
import { type Reservations, readReservations } from './launch-reservations.ts';

/** Options of a launch, most of which are only shown with its machines. */
export interface LaunchOptions {
  readonly monitored: boolean;
  readonly ebsOptimized: boolean;
  readonly tenancy: 'default' | 'dedicated' | 'host';
  readonly placementGroup: { readonly id: string | undefined; readonly name: string | undefined } | undefined;
  readonly partition: number | undefined;
  readonly cpu: { readonly cores: number; readonly threads: number } | undefined;
  readonly reservations: Reservations | undefined;
  readonly hibernation: boolean;
  readonly enclave: boolean;
  /** Stop protection. */
  readonly stopGuarded: boolean;
  readonly shutdownBehavior: 'stop' | 'terminate';
  readonly sourceDestCheck: boolean;
}

const usual: LaunchOptions = {
  monitored: false,
  ebsOptimized: false,
  tenancy: 'default',
  placementGroup: undefined,
  partition: undefined,
  cpu: undefined,
  reservations: undefined,
  hibernation: false,
  enclave: false,
  stopGuarded: false,
  shutdownBehavior: 'stop',
  sourceDestCheck: true,
};

// Launches without these parameters share one object.
const names = [
  'Monitoring',
  'EbsOptimized',
  'Placement',
  'CpuOptions',
  'CapacityReservationSpecification',
  'HibernationOptions',
  'EnclaveOptions',
  'DisableApiStop',
  'InstanceInitiatedShutdownBehavior',
];

/** Reads the options of a launch, and refuses options that the type does not support. */
export function readLaunchOptions(all: Params, type: CatalogueInstanceType): LaunchOptions {
  checkMetadata(part(all, 'MetadataOptions'));
  checkCredits(part(all, 'CreditSpecification'), type);
  const shutdownBehavior = oneOf(all, 'InstanceInitiatedShutdownBehavior', ['stop', 'terminate']) ?? 'stop';
  oneOf(part(all, 'MaintenanceOptions'), 'AutoRecovery', ['default', 'disabled']);
  for (const name of ['DisableApiTermination', 'DisableApiStop']) flag(all, name);
  if (names.every((name) => all[name] === undefined)) return usual;
  const monitoring = part(all, 'Monitoring');
  if (monitoring !== undefined && monitoring['Enabled'] === undefined) throw missingParameter('Monitoring.Enabled');
  const hibernation = flag(part(all, 'HibernationOptions'), 'Configured') ?? false;
  const enclave = flag(part(all, 'EnclaveOptions'), 'Enabled') ?? false;
  if (hibernation && enclave)
    throw invalidCombination('Hibernation and enclaves cannot be enabled on the same instance.');
  return {
    monitored: flag(monitoring, 'Enabled') ?? false,
    ebsOptimized: flag(all, 'EbsOptimized') ?? false,
    ...readPlacement(part(all, 'Placement')),
    cpu: readCpu(part(all, 'CpuOptions'), type),
    reservations: readReservations(part(all, 'CapacityReservationSpecification')),
    hibernation,
    enclave,
    stopGuarded: flag(all, 'DisableApiStop') ?? false,
    shutdownBehavior,
    sourceDestCheck: true,
  };
}

function readPlacement(
  placement: Params | undefined,
): Pick<LaunchOptions, 'tenancy' | 'placementGroup' | 'partition'> {
  const tenancy = oneOf(placement, 'Tenancy', ['default', 'dedicated', 'host']) ?? 'default';
  const id = text(placement, 'GroupId');
  const name = text(placement, 'GroupName');
  if (id !== undefined && name !== undefined)
    throw invalidCombination('Only one of placement group ID and placement group name may be specified.');
  if (id !== undefined && !/^pg-[0-9a-f]+$/.test(id))
    throw new AwsError('InvalidPlacementGroupId.Malformed', `Invalid id: "${id}" (expecting "pg-...")`);
  if (name === '') throw new AwsError('InvalidPlacementGroup.Unknown', 'The placement group name must not be empty.');
  const host = text(placement, 'HostId');
  if (host !== undefined && tenancy !== 'host')
    throw invalidCombination('A host can only be specified for tenancy host.');
  if (host !== undefined && !/^h-[0-9a-f]+$/.test(host))
    throw new AwsError('InvalidHostID.Malformed', `Invalid id: "${host}" (expecting "h-...")`);
  const partition = integer(placement, 'PartitionNumber');
  if (partition !== undefined && id === undefined && name === undefined)
    throw invalidCombination('A partition number requires a placement group.');
  if (partition !== undefined && (partition < 1 || partition > 7))
    throw invalidParameter(`Value (${partition}) for parameter partitionNumber is invalid.`);
  return { tenancy, placementGroup: id === undefined && name === undefined ? undefined : { id, name }, partition };
}

function readCpu(options: Params | undefined, type: CatalogueInstanceType): LaunchOptions['cpu'] {
  const cores = integer(options, 'CoreCount');
  const threads = integer(options, 'ThreadsPerCore');
  if (cores === undefined && threads === undefined) return undefined;
  if (cores === undefined || threads === undefined)
    throw invalidCombination('CoreCount and ThreadsPerCore must be specified together.');
  const { burstable, hypervisor } = factsOf(type);
  if (burstable && hypervisor === 'xen')
    throw new AwsError(
      'UnsupportedOperation',
      `CPU options are not supported for instance type ${type.instance_type}.`,
    );
  if (cores < 1 || cores > type.cores)
    throw invalidParameter(`Value (${cores}) for parameter coreCount is invalid for ${type.instance_type}.`);
  if (threads < 1 || threads > type.vcpus / type.cores)
    throw invalidParameter(`Value (${threads}) for parameter threadsPerCore is invalid for ${type.instance_type}.`);
  return { cores, threads };
}

function checkCredits(credits: Params | undefined, type: CatalogueInstanceType): void {
  if (credits === undefined) return;
  if (oneOf(credits, 'CpuCredits', ['standard', 'unlimited']) === undefined)
    throw missingParameter('CreditSpecification.CpuCredits');
  if (!factsOf(type).burstable)
    throw new AwsError(
      'InstanceCreditSpecification.NotSupported',
      `The ${type.instance_type} instance type does not support CPU credits.`,
    );
}

function checkMetadata(metadata: Params | undefined): void {
  if (metadata === undefined) return;
  oneOf(metadata, 'HttpTokens', ['optional', 'required']);
  oneOf(metadata, 'HttpEndpoint', ['enabled', 'disabled']);
  oneOf(metadata, 'HttpProtocolIpv6', ['enabled', 'disabled']);
  oneOf(metadata, 'InstanceMetadataTags', ['enabled', 'disabled']);
  const hops = integer(metadata, 'HttpPutResponseHopLimit');
  if (hops !== undefined && (hops < 1 || hops > 64))
    throw invalidParameter(
      `Value (${hops}) for parameter httpPutResponseHopLimit is invalid. It must be between 1 and 64.`,
    );
}
