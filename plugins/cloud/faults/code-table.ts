import type { FaultKind } from '../../../core/index.ts';

/**
 * The kind of an error code of EC2, Auto Scaling, STS or Systems Manager. `transient`: an internal error of the cloud.
 * A read may be repeated; the outcome of a change is unknown.
 */
export type CodeKind = FaultKind | 'transient';

/**
 * What a code concerns. `offer`: one pool, i.e. a type in a place in a market. `template`: what the template asks for.
 * `market`: all machines of one market. `order`: the resources or the token of one order. `instance`: every call of
 * the provider instance. `account`: every instance with this account and region.
 */
export const codeScopes = ['offer', 'template', 'market', 'order', 'instance', 'account'] as const;
export type CodeScope = (typeof codeScopes)[number];

/** The meaning of a code. */
export interface CodeMeaning {
  readonly kind: CodeKind;
  readonly scope: CodeScope;
  /** What to do, in whole sentences. Messages about faults that need a person contain it. */
  readonly advice: string;
  /**
   * `terms`: the lack of capacity comes from the terms of the template: other templates may get machines of the offer.
   * `denied`: a permission is missing: other offers and instances may serve the request.
   */
  readonly lack?: 'terms' | 'denied';
  /** The meaning where a call that reads is refused, if it differs. */
  readonly ofRead?: Omit<CodeMeaning, 'ofRead'>;
}

/** A meaning with the codes that have it. */
export type CodeRow = CodeMeaning & { readonly codes: readonly string[] };

const wait = 'Nothing: muster repeats the call.';
const otherPools = 'Nothing: muster tries other pools. Name more machine types and subnets in the template.';
const correct = 'Correct the template as the message says.';
const raise = 'Ask AWS for a higher quota, or return machines.';
const permit =
  'The policies of the account deny this call for what it names (an image, a subnet, a launch template, a role, a key, tags or a machine). Grant the permission, or change the template.';
const mayNotRead = {
  kind: 'credentials',
  scope: 'instance',
  advice: 'Grant the identity of the instance the permission that the message names.',
} as const;

/**
 * All known codes. One bad template must never take an instance down, so only refusals of the key, the token, their
 * expiry or the account have the kind `credentials`. A permission that a launch lacks concerns the template.
 */
export const codeTable: readonly CodeRow[] = [
  {
    kind: 'throttled',
    scope: 'account',
    advice: 'Nothing: muster repeats the call later and lowers its rate.',
    codes: [
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
  },
  {
    kind: 'transient',
    scope: 'instance',
    advice: 'Nothing: muster repeats the call, or finds out what it did.',
    codes: [
      'InternalError',
      'InternalFailure',
      'InternalServerError',
      'ServerInternal',
      'Unavailable',
      'ServiceUnavailable',
      'RetryableError',
    ],
  },
  {
    kind: 'unavailable',
    scope: 'order',
    advice: wait,
    codes: [
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
    ],
  },
  {
    kind: 'unavailable',
    scope: 'instance',
    advice: 'Set the clock of this host. muster corrects its signatures with the time of the answer.',
    codes: ['RequestTimeTooSkewed'],
  },
  {
    // Auto Scaling creates its role at the first use.
    kind: 'unavailable',
    scope: 'account',
    advice: 'Wait until the service-linked role AWSServiceRoleForAutoScaling can be used, or create it.',
    codes: ['ServiceLinkedRoleFailure'],
  },
  {
    kind: 'capacity',
    scope: 'offer',
    advice: otherPools,
    codes: [
      'InsufficientInstanceCapacity',
      'InsufficientHostCapacity',
      'InsufficientCapacityOnHost',
      'InsufficientReservedInstanceCapacity',
      'InsufficientCapacity',
      'InsufficientAddressCapacity',
      // State reasons of machines, and states of Spot requests.
      'SpotInstanceShutdown',
      'SpotInstanceTermination',
      'SpotInstanceInterruption',
      'capacity-not-available',
      'capacity-oversubscribed',
    ],
  },
  {
    kind: 'capacity',
    scope: 'offer',
    advice:
      'Nothing: muster tries other pools. An instant fleet may report this code for a pool that it never tried; then the pool is tried after the others.',
    codes: ['UnfulfillableCapacity'],
  },
  {
    kind: 'capacity',
    scope: 'offer',
    advice: 'Return machines in the subnet, or name larger or more subnets in the template.',
    codes: ['InsufficientFreeAddressesInSubnet'],
  },
  {
    // The type, or the configuration of the template, is not offered there: another pool may have it.
    kind: 'capacity',
    scope: 'offer',
    lack: 'terms',
    advice:
      'Name machine types that the zone of the subnet offers and that fit the image, or more subnets in other zones.',
    codes: ['Unsupported', 'InvalidFleetConfiguration'],
  },
  {
    kind: 'capacity',
    scope: 'offer',
    lack: 'terms',
    advice: 'Raise max_price, or leave it out.',
    codes: ['SpotMaxPriceTooLow', 'price-too-low'],
  },
  {
    kind: 'capacity',
    scope: 'offer',
    lack: 'terms',
    advice: 'Name another capacity reservation in the template, or enlarge this one.',
    codes: ['ReservationCapacityExceeded'],
  },
  {
    kind: 'capacity',
    scope: 'offer',
    lack: 'terms',
    advice: 'Change the volumes, the placement or the other conditions of the template, or name more subnets.',
    codes: ['InsufficientVolumeCapacity', 'VolumeTypeNotAvailableInZone', 'constraint-not-fulfillable'],
  },
  {
    kind: 'quota',
    scope: 'market',
    advice: 'Ask AWS for a higher quota of this market, or return machines.',
    codes: ['InstanceLimitExceeded', 'VcpuLimitExceeded', 'MaxSpotInstanceCountExceeded'],
  },
  {
    kind: 'quota',
    scope: 'account',
    advice: raise,
    codes: [
      'MaxSpotFleetRequestCountExceeded',
      'MaxFleetCountExceeded',
      'MaxFleetTargetCapacityExceeded',
      'ExceededInstantFleetNumForDeletion',
      'ResourceLimitExceeded',
      'ResourceCountExceeded',
      'MaxTemplateLimitExceeded',
      'MaxTemplateVersionLimitExceeded',
      'VolumeLimitExceeded',
      'MaxIOPSLimitExceeded',
      'NetworkInterfaceLimitExceeded',
      'LimitExceeded',
      'AddressLimitExceeded',
    ],
  },
  {
    kind: 'quota',
    scope: 'account',
    advice: raise,
    ofRead: { kind: 'throttled', scope: 'account', advice: wait },
    codes: ['RequestResourceCountExceeded'],
  },
  {
    kind: 'quota',
    scope: 'account',
    advice: 'Wait until AWS has verified the account; AWS sends a mail when it has.',
    codes: ['PendingVerification'],
  },
  {
    kind: 'quota',
    scope: 'template',
    advice: 'Name fewer groups or tags in the template, or ask AWS for a higher quota.',
    codes: ['SecurityGroupsPerInstanceLimitExceeded', 'SecurityGroupsPerInterfaceLimitExceeded', 'TagLimitExceeded'],
  },
  {
    kind: 'credentials',
    scope: 'instance',
    advice: 'Correct the credentials in the configuration of the instance.',
    codes: [
      'AuthFailure',
      'InvalidClientTokenId',
      'UnrecognizedClientException',
      'SignatureDoesNotMatch',
      'InvalidSignatureException',
      'IncompleteSignature',
      'MissingAuthenticationToken',
      'MissingAuthenticationTokenException',
      'CredentialsProviderError',
      'TokenProviderError',
    ],
  },
  {
    kind: 'credentials',
    scope: 'instance',
    advice: 'Renew the credentials, and check the clock of this host.',
    codes: ['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'InvalidSecurity.RequestHasExpired'],
  },
  {
    kind: 'credentials',
    scope: 'account',
    advice: 'Ask AWS why the account is blocked.',
    codes: ['Blocked', 'AccountDisabled'],
  },
  {
    kind: 'invalid',
    scope: 'template',
    lack: 'denied',
    advice: permit,
    ofRead: mayNotRead,
    codes: ['UnauthorizedOperation', 'AccessDenied', 'AccessDeniedException'],
  },
  {
    kind: 'invalid',
    scope: 'template',
    advice: 'Subscribe the account to the image in AWS Marketplace, or name another image in the template.',
    ofRead: {
      kind: 'credentials',
      scope: 'account',
      advice: 'Activate the account, the region and the service in AWS.',
    },
    codes: ['OptInRequired'],
  },
  {
    kind: 'invalid',
    scope: 'market',
    lack: 'denied',
    advice:
      'Create the service-linked role that the message names (for Spot AWSServiceRoleForEC2Spot), or grant iam:CreateServiceLinkedRole. On-Demand machines do not need the role of Spot.',
    codes: ['AuthFailure.ServiceLinkedRoleCreationNotPermitted'],
  },
  {
    // EC2 says no more than that the client is at fault. Nearly always the volumes cannot be decrypted.
    kind: 'invalid',
    scope: 'template',
    advice:
      'As a rule the launch has no permission for the KMS key of an encrypted volume or image: grant the launching identity (caller, service-linked role of the fleet or of Auto Scaling) kms:CreateGrant, kms:Decrypt and kms:GenerateDataKeyWithoutPlaintext on the key, and check that the key is enabled.',
    codes: ['Client.InternalError', 'Client.InvalidKMSKey.InvalidState', 'InvalidKMSKey.InvalidState'],
  },
  {
    kind: 'invalid',
    scope: 'template',
    advice: correct,
    codes: [
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
      'InvalidFleetConfig',
      'InvalidSpotFleetRequestConfig',
      'InvalidBlockDeviceMapping',
      'InvalidInstanceType',
      'InvalidPaginationToken',
      'InvalidNextToken',
      'FilterLimitExceeded',
      'UnsupportedOperation',
      'VPCIdNotSpecified',
      'DefaultVpcDoesNotExist',
      'NoTerminateInstancesNotSupported',
    ],
  },
  {
    kind: 'invalid',
    scope: 'template',
    advice: 'Name a resource in the template that exists in the region and that the account may use.',
    codes: [
      'InvalidAMIID.NotFound',
      'InvalidAMIID.Unavailable',
      'InvalidKeyPair.NotFound',
      'InvalidSubnetID.NotFound',
      'InvalidSubnet',
      'InvalidGroup.NotFound',
      'InvalidSecurityGroupID.NotFound',
      'InvalidSnapshot.NotFound',
      'InvalidAvailabilityZone',
      'InvalidZone.NotFound',
      'InvalidPlacementGroup.Unknown',
      'InvalidCapacityReservationId.NotFound',
      // The parameter that names an image.
      'ParameterNotFound',
      'ParameterVersionNotFound',
    ],
  },
  {
    kind: 'invalid',
    scope: 'template',
    advice: 'Set the tags that the tag policy of the organization demands.',
    codes: ['TagPolicyViolation'],
  },
  {
    // A person protected the machine and has to remove the protection.
    kind: 'invalid',
    scope: 'order',
    advice: 'Remove the termination protection of the machine.',
    codes: ['OperationNotPermitted'],
  },
  {
    kind: 'gone',
    scope: 'order',
    advice: 'Nothing: the resource no longer exists. Find out who deleted it, if muster did not.',
    codes: [
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
  },
  {
    // EC2 received a call with this token and other parameters. The machines of that call have to be searched.
    kind: 'unknown-outcome',
    scope: 'order',
    advice: 'Nothing: muster searches the machines of the earlier call with this token.',
    codes: ['IdempotentParameterMismatch', 'IdempotentParameterMismatchError', 'IdempotentCallInProgress'],
  },
  {
    // An earlier call of the order may have created the resource.
    kind: 'unknown-outcome',
    scope: 'order',
    advice: 'Nothing: muster checks whether an earlier call of the order created the resource.',
    codes: ['AlreadyExists', 'InvalidLaunchTemplateName.AlreadyExistsException'],
  },
];

/** Patterns for families of codes, for codes that the table does not contain. */
export const codeFamilies: readonly (CodeMeaning & { readonly pattern: RegExp })[] = [
  { pattern: /\.Malformed$|^Malformed|MalformedException$/, kind: 'invalid', scope: 'template', advice: correct },
  {
    pattern: /^Invalid(Parameter|Subnet|AMI|Group|SecurityGroup|KeyPair|UserData|BlockDevice)/,
    kind: 'invalid',
    scope: 'template',
    advice: correct,
  },
  { pattern: /^Missing/, kind: 'invalid', scope: 'template', advice: correct },
  { pattern: /LimitExceeded$/, kind: 'quota', scope: 'account', advice: raise },
  { pattern: /^Insufficient/, kind: 'capacity', scope: 'offer', advice: otherPools },
];

/** Codes with several meanings, which the message distinguishes. The first rule that fits counts. */
export const codesByMessage: readonly (CodeMeaning & { readonly code: RegExp; readonly message: RegExp })[] = [
  {
    // A limit of seven machines in each zone. EC2 reports it as a lack of capacity, but waiting does not help.
    code: /^(InsufficientInstanceCapacity|RequestLimitExceeded)$/,
    message: /spread placement group/i,
    kind: 'quota',
    scope: 'template',
    advice: 'A spread placement group holds seven machines in each zone. Name another group, or more zones.',
  },
  {
    // The zone offers no machine of the type, for any template.
    code: /^(Unsupported|InvalidFleetConfiguration)$/,
    message: /instance type .*Availability Zone/i,
    kind: 'capacity',
    scope: 'offer',
    advice: 'Name machine types that the zone of the subnet offers, or more subnets in other zones.',
  },
  {
    // One image or snapshot that is not shared with the account proves nothing about the credentials.
    code: /^AuthFailure$/,
    message: /not authorized for|permission to access the specified/i,
    kind: 'invalid',
    scope: 'template',
    advice: 'Share the resource with the account, or name another one in the template.',
  },
  {
    code: /^ValidationError$/,
    message: /name not found|AutoScalingGroup .*not found/i,
    kind: 'gone',
    scope: 'order',
    advice: 'Nothing: the group no longer exists.',
  },
  {
    // A group that is being deleted accepts no changes, and is gone soon.
    code: /^ValidationError$/,
    message: /pending delete/i,
    kind: 'unavailable',
    scope: 'order',
    advice: wait,
  },
  {
    // A new instance profile takes up to two minutes to be visible everywhere. The caller limits the wait.
    code: /^(InvalidParameterValue|ValidationError)$/,
    message: /invalid iam instance profile/i,
    kind: 'unavailable',
    scope: 'template',
    advice: 'Name an instance profile that exists.',
  },
];
