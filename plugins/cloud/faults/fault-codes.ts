import type { FaultKind } from '../../../core/index.ts';

/**
 * The kind of an error code of EC2, Auto Scaling, STS or Systems Manager. `transient`: an internal error of the cloud.
 * A read may be repeated; the outcome of a change is unknown.
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
    // The clock of the host or the latency of the network made the signature too old; the SDK corrects its clock from
    // the answer.
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
    // The type is not offered in that zone: another pool may have it.
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
    // The parameter that names an image.
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
    // Termination protection: a person set it and has to remove it.
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
    // All machines of the token are terminated: that attempt is over.
    'IdempotentInstanceTerminated',
  ],
  'unknown-outcome': [
    // EC2 received a call with this token and other parameters. The machines of that call have to be searched.
    'IdempotentParameterMismatch',
    'IdempotentParameterMismatchError',
    'IdempotentCallInProgress',
    // A resource with the name of this order exists already: an earlier call of the order may have created it.
    'AlreadyExists',
    'InvalidLaunchTemplateName.AlreadyExistsException',
  ],
};

const byCode: ReadonlyMap<string, CodeKind> = new Map(
  Object.entries(kinds).flatMap(([kind, codes]) => codes.map((code) => [code, kind as CodeKind] as const)),
);

/** Patterns for families of codes, for codes that the table does not contain. */
const families: readonly (readonly [RegExp, CodeKind])[] = [
  [/\.Malformed$|^Malformed|MalformedException$/, 'invalid'],
  [/^Invalid(Parameter|Subnet|AMI|Group|SecurityGroup|KeyPair|UserData|BlockDevice)/, 'invalid'],
  [/^Missing/, 'invalid'],
  [/LimitExceeded$/, 'quota'],
  [/^Insufficient/, 'capacity'],
];

/** Codes with several meanings, which the message distinguishes. */
const byMessage: readonly { readonly code: RegExp; readonly message: RegExp; readonly kind: CodeKind }[] = [
  // A limit of seven machines in each zone. EC2 reports it as a lack of capacity, but waiting does not help.
  { code: /^InsufficientInstanceCapacity$/, message: /spread placement group/i, kind: 'quota' },
  // One image that is not shared with the account proves nothing about the credentials.
  { code: /^AuthFailure$/, message: /not authorized for images/i, kind: 'invalid' },
  { code: /^ValidationError$/, message: /name not found|AutoScalingGroup .*not found/i, kind: 'gone' },
  // A group that is being deleted accepts no changes, and is gone soon.
  { code: /^ValidationError$/, message: /pending delete/i, kind: 'unavailable' },
  // A new instance profile takes up to two minutes to be visible everywhere. The caller limits the wait.
  { code: /^(InvalidParameterValue|ValidationError)$/, message: /invalid iam instance profile/i, kind: 'unavailable' },
  { code: /^RequestLimitExceeded$/, message: /limit of instances in this spread placement group/i, kind: 'quota' },
];

/**
 * The kind of a code, or undefined when neither the table nor a family contains it. The prefixes `Server.` and
 * `Client.` of state reasons are ignored.
 */
export function kindOfCode(code: string, message = ''): CodeKind | undefined {
  const bare = code.replace(/^(Server|Client)\./, '').replace(/Fault$/, '');
  const special = byMessage.find((rule) => rule.code.test(bare) && rule.message.test(message));
  if (special) return special.kind;
  return byCode.get(bare) ?? families.find(([pattern]) => pattern.test(bare))?.[1];
}

/**
 * The kind of a reason inside an answer (an error of a pool, an event of a history, a state reason), where no outcome
 * is unknown. An unexplained reason counts as temporary.
 */
export function kindOfReason(code: string, message = ''): FaultKind {
  const kind = kindOfCode(code, message);
  return kind === undefined || kind === 'transient' ? 'unavailable' : kind;
}

/** All codes of the table, for tests. */
export const knownCodes: ReadonlyMap<string, CodeKind> = byCode;
