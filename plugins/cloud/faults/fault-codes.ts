import type { FaultKind } from '../../../core/index.ts';

/**
 * What a code of EC2, Auto Scaling, STS or Systems Manager means. `transient`: the cloud stumbled; a question may be
 * asked again, but of a call that changes the cloud nobody knows whether it was executed. /
 */
export type CodeKind = FaultKind | 'transient';

const kinds: Readonly<Record<CodeKind, readonly string[]>> = {
  throttled: [
    'RequestLimitExceeded',
    'Throttling',
    'ThrottlingException',
    'ThrottledException',
    'RequestThrottled',
    'RequestThrottledException',
    'EC2ThrottledException',
    'SlowDown',
    'TooManyRequestsException',
    'BandwidthLimitExceeded',
  ],
  transient: [
    'InternalError',
    'InternalFailure',
    'InternalServerError',
    'ServerInternal',
    'Unavailable',
    'ServiceUnavailable',
    'RetryableError',
  ],
  unavailable: [
    'ResourceContention',
    'ScalingActivityInProgress',
    'ResourceInUse',
    'ConcurrentTagAccess',
    'FleetNotInModifiableState',
    'fleetNotInDeletableState',
    'fleetRequestNotInCancellableState',
    'IncorrectState',
    'IncorrectInstanceState',
    'DependencyViolation',
    // The machine's clock or the network's latency made the signature old; the SDK corrects the clock from the answer.
    'RequestTimeTooSkewed',
  ],
  capacity: [
    'InsufficientInstanceCapacity',
    'InsufficientHostCapacity',
    'InsufficientCapacityOnHost',
    'InsufficientReservedInstanceCapacity',
    'InsufficientCapacity',
    'InsufficientAddressCapacity',
    'InsufficientFreeAddressesInSubnet',
    'InsufficientVolumeCapacity',
    'UnfulfillableCapacity',
    'ReservationCapacityExceeded',
    'SpotMaxPriceTooLow',
    // The type is not to be had in that zone: another pool may have it.
    'Unsupported',
    'VolumeTypeNotAvailableInZone',
    // State reasons of machines, and states of Spot requests.
    'SpotInstanceShutdown',
    'SpotInstanceTermination',
    'SpotInstanceInterruption',
    'capacity-not-available',
    'capacity-oversubscribed',
    'price-too-low',
    'constraint-not-fulfillable',
  ],
  quota: [
    'InstanceLimitExceeded',
    'VcpuLimitExceeded',
    'MaxSpotInstanceCountExceeded',
    'MaxSpotFleetRequestCountExceeded',
    'MaxFleetCountExceeded',
    'ExceededInstantFleetNumForDeletion',
    'ResourceLimitExceeded',
    'ResourceCountExceeded',
    'RequestResourceCountExceeded',
    'MaxTemplateLimitExceeded',
    'MaxTemplateVersionLimitExceeded',
    'VolumeLimitExceeded',
    'MaxIOPSLimitExceeded',
    'NetworkInterfaceLimitExceeded',
    'SecurityGroupsPerInstanceLimitExceeded',
    'SecurityGroupsPerInterfaceLimitExceeded',
    'TagLimitExceeded',
    'LimitExceeded',
    'AddressLimitExceeded',
    'PendingVerification',
  ],
  credentials: [
    'AuthFailure',
    'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
    'UnauthorizedOperation',
    'AccessDenied',
    'AccessDeniedException',
    'InvalidClientTokenId',
    'UnrecognizedClientException',
    'SignatureDoesNotMatch',
    'InvalidSignatureException',
    'IncompleteSignature',
    'MissingAuthenticationToken',
    'MissingAuthenticationTokenException',
    'ExpiredToken',
    'ExpiredTokenException',
    'RequestExpired',
    'InvalidSecurity.RequestHasExpired',
    'OptInRequired',
    'Blocked',
    'AccountDisabled',
    'ServiceLinkedRoleFailure',
    'CredentialsProviderError',
    'TokenProviderError',
  ],
  invalid: [
    'MissingParameter',
    'MalformedQueryString',
    'UnknownParameter',
    'InvalidAction',
    'InvalidQueryParameter',
    'ValidationError',
    'ValidationException',
    'InvalidParameter',
    'InvalidParameterValue',
    'InvalidParameterCombination',
    'InvalidParameterDependency',
    'InvalidRequest',
    'InvalidInput',
    'InvalidAMIID.NotFound',
    'InvalidAMIID.Unavailable',
    'InvalidKeyPair.NotFound',
    'InvalidSubnetID.NotFound',
    'InvalidSubnet',
    'InvalidGroup.NotFound',
    'InvalidSecurityGroupID.NotFound',
    'InvalidBlockDeviceMapping',
    'InvalidSnapshot.NotFound',
    // What an image is named by.
    'ParameterNotFound',
    'ParameterVersionNotFound',
    'InvalidInstanceType',
    'InvalidAvailabilityZone',
    'InvalidZone.NotFound',
    'InvalidPlacementGroup.Unknown',
    'InvalidCapacityReservationId.NotFound',
    'InvalidSpotFleetRequestConfig',
    'InvalidPaginationToken',
    'InvalidNextToken',
    'FilterLimitExceeded',
    'UnsupportedOperation',
    'VPCIdNotSpecified',
    'DefaultVpcDoesNotExist',
    'TagPolicyViolation',
    // Termination protection: a person set it, so a person has to take it off.
    'OperationNotPermitted',
    'NoTerminateInstancesNotSupported',
  ],
  gone: [
    'InvalidInstanceID.NotFound',
    'InvalidFleetId.NotFound',
    'InvalidSpotFleetRequestId.NotFound',
    'InvalidSpotInstanceRequestID.NotFound',
    'InvalidLaunchTemplateId.NotFound',
    'InvalidLaunchTemplateId.VersionNotFound',
    'InvalidLaunchTemplateName.NotFoundException',
    'fleetIdDoesNotExist',
    'fleetRequestIdDoesNotExist',
    'launchTemplateIdDoesNotExist',
    'launchTemplateVersionDoesNotExist',
    // The token's machines were started and are all terminated: that attempt is over.
    'IdempotentInstanceTerminated',
  ],
  'unknown-outcome': [
    // Proof that a call with this token was received, but not with these parameters: what it started has to be looked
    // for.
    'IdempotentParameterMismatch',
    'IdempotentParameterMismatchError',
    'IdempotentCallInProgress',
    // What carries our name is there already: an earlier call of ours may have made it.
    'AlreadyExists',
    'InvalidLaunchTemplateName.AlreadyExistsException',
  ],
};

const byCode: ReadonlyMap<string, CodeKind> = new Map(
  Object.entries(kinds).flatMap(([kind, codes]) => codes.map((code) => [code, kind as CodeKind] as const)),
);

/** Codes of which there are many, where the table has no entry of its own. */
const families: readonly (readonly [RegExp, CodeKind])[] = [
  [/\.Malformed$|^Malformed|MalformedException$/, 'invalid'],
  [/^Invalid(Parameter|Subnet|AMI|Group|SecurityGroup|KeyPair|UserData|BlockDevice)/, 'invalid'],
  [/^Missing/, 'invalid'],
  [/LimitExceeded$/, 'quota'],
  [/^Insufficient/, 'capacity'],
];

/** The same code means different things; the sentence beside it tells. */
const byMessage: readonly { readonly code: RegExp; readonly message: RegExp; readonly kind: CodeKind }[] = [
  // A limit of seven machines a zone, which no waiting cures; it comes as want of capacity.
  { code: /^InsufficientInstanceCapacity$/, message: /spread placement group/i, kind: 'quota' },
  // One image that is not shared with the account says nothing about the account's credentials.
  { code: /^AuthFailure$/, message: /not authorized for images/i, kind: 'invalid' },
  { code: /^ValidationError$/, message: /name not found|AutoScalingGroup .*not found/i, kind: 'gone' },
  // A group that is on its way out takes no changes; soon it is gone.
  { code: /^ValidationError$/, message: /pending delete/i, kind: 'unavailable' },
  // A new instance profile takes up to two minutes to be known everywhere. The caller bounds the wait.
  { code: /^(InvalidParameterValue|ValidationError)$/, message: /invalid iam instance profile/i, kind: 'unavailable' },
  { code: /^RequestLimitExceeded$/, message: /limit of instances in this spread placement group/i, kind: 'quota' },
];

/**
 * The kind of a code, or undefined when neither the table nor a family knows it. `Server.` and `Client.` of state
 * reasons do not matter.
 */
export function kindOfCode(code: string, message = ''): CodeKind | undefined {
  const bare = code.replace(/^(Server|Client)\./, '').replace(/Fault$/, '');
  const special = byMessage.find((rule) => rule.code.test(bare) && rule.message.test(message));
  if (special) return special.kind;
  return byCode.get(bare) ?? families.find(([pattern]) => pattern.test(bare))?.[1];
}

/**
 * The kind of a reason that stands in an answer (a pool's error, a line of a history, a state reason), where nothing
 * was left unknown. What the cloud does not explain is worth another try, elsewhere in time. /
 */
export function kindOfReason(code: string, message = ''): FaultKind {
  const kind = kindOfCode(code, message);
  return kind === undefined || kind === 'transient' ? 'unavailable' : kind;
}

/** Every code of the table, for tests and documentation. */
export const knownCodes: ReadonlyMap<string, CodeKind> = byCode;
