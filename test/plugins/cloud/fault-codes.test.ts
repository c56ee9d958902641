import test from 'ava';
import { codeScopes } from '../../../plugins/cloud/faults/code-table.ts';
import { knownCodes, meaningOfCode, reasonFor } from '../../../plugins/cloud/faults/fault-codes.ts';
import { faultOf } from '../../../plugins/cloud/faults/faults.ts';

/** Every code by its kind and by what it concerns. */
const expected: Readonly<Record<string, string>> = {
  'throttled account': `
    RequestLimitExceeded Throttling ThrottlingException ThrottledException RequestThrottled
    RequestThrottledException EC2ThrottledException SlowDown TooManyRequestsException
    BandwidthLimitExceeded`,
  'transient instance': `
    InternalError InternalFailure InternalServerError ServerInternal Unavailable ServiceUnavailable
    RetryableError`,
  'unavailable order': `
    ResourceContention ScalingActivityInProgress ResourceInUse ConcurrentTagAccess
    FleetNotInModifiableState fleetNotInDeletableState fleetRequestNotInCancellableState
    IncorrectState IncorrectInstanceState DependencyViolation`,
  'unavailable instance': `
    RequestTimeTooSkewed`,
  'unavailable account': `
    ServiceLinkedRoleFailure`,
  'capacity offer': `
    InsufficientInstanceCapacity InsufficientHostCapacity InsufficientCapacityOnHost
    InsufficientReservedInstanceCapacity InsufficientCapacity InsufficientAddressCapacity
    SpotInstanceShutdown SpotInstanceTermination SpotInstanceInterruption capacity-not-available
    capacity-oversubscribed UnfulfillableCapacity InsufficientFreeAddressesInSubnet`,
  'capacity offer terms': `
    Unsupported InvalidFleetConfiguration SpotMaxPriceTooLow price-too-low
    ReservationCapacityExceeded InsufficientVolumeCapacity VolumeTypeNotAvailableInZone
    constraint-not-fulfillable`,
  'quota market': `
    InstanceLimitExceeded VcpuLimitExceeded MaxSpotInstanceCountExceeded`,
  'quota account': `
    MaxSpotFleetRequestCountExceeded MaxFleetCountExceeded MaxFleetTargetCapacityExceeded
    ExceededInstantFleetNumForDeletion ResourceLimitExceeded ResourceCountExceeded
    MaxTemplateLimitExceeded MaxTemplateVersionLimitExceeded VolumeLimitExceeded
    MaxIOPSLimitExceeded NetworkInterfaceLimitExceeded LimitExceeded AddressLimitExceeded
    PendingVerification`,
  'quota account, of a read throttled account': `
    RequestResourceCountExceeded`,
  'quota template': `
    SecurityGroupsPerInstanceLimitExceeded SecurityGroupsPerInterfaceLimitExceeded TagLimitExceeded`,
  'credentials instance': `
    AuthFailure InvalidClientTokenId UnrecognizedClientException SignatureDoesNotMatch
    InvalidSignatureException IncompleteSignature MissingAuthenticationToken
    MissingAuthenticationTokenException CredentialsProviderError TokenProviderError ExpiredToken
    ExpiredTokenException RequestExpired InvalidSecurity.RequestHasExpired`,
  'credentials account': `
    Blocked AccountDisabled`,
  'invalid template denied, of a read credentials instance': `
    UnauthorizedOperation AccessDenied AccessDeniedException`,
  'invalid template, of a read credentials account': `
    OptInRequired`,
  'invalid market denied': `
    AuthFailure.ServiceLinkedRoleCreationNotPermitted`,
  'invalid template': `
    Client.InternalError Client.InvalidKMSKey.InvalidState InvalidKMSKey.InvalidState
    MissingParameter MalformedQueryString UnknownParameter InvalidAction InvalidQueryParameter
    ValidationError ValidationException InvalidParameter InvalidParameterValue
    InvalidParameterCombination InvalidParameterDependency InvalidRequest InvalidInput
    InvalidFleetConfig InvalidSpotFleetRequestConfig InvalidBlockDeviceMapping InvalidInstanceType
    InvalidPaginationToken InvalidNextToken FilterLimitExceeded UnsupportedOperation
    VPCIdNotSpecified DefaultVpcDoesNotExist NoTerminateInstancesNotSupported InvalidAMIID.NotFound
    InvalidAMIID.Unavailable InvalidKeyPair.NotFound InvalidSubnetID.NotFound InvalidSubnet
    InvalidGroup.NotFound InvalidSecurityGroupID.NotFound InvalidSnapshot.NotFound
    InvalidAvailabilityZone InvalidZone.NotFound InvalidPlacementGroup.Unknown
    InvalidCapacityReservationId.NotFound ParameterNotFound ParameterVersionNotFound
    TagPolicyViolation`,
  'invalid order': `
    OperationNotPermitted`,
  'gone order': `
    InvalidInstanceID.NotFound InvalidFleetId.NotFound InvalidSpotFleetRequestId.NotFound
    InvalidSpotInstanceRequestID.NotFound InvalidLaunchTemplateId.NotFound
    InvalidLaunchTemplateId.VersionNotFound InvalidLaunchTemplateName.NotFoundException
    fleetIdDoesNotExist fleetRequestIdDoesNotExist launchTemplateIdDoesNotExist
    launchTemplateVersionDoesNotExist IdempotentInstanceTerminated`,
  'unknown-outcome order': `
    IdempotentParameterMismatch IdempotentParameterMismatchError IdempotentCallInProgress
    AlreadyExists InvalidLaunchTemplateName.AlreadyExistsException`,
};

const described = (code: string): string => {
  const meaning = knownCodes.get(code);
  if (!meaning) return 'unknown';
  const { kind, scope, lack, ofRead } = meaning;
  return `${kind} ${scope}${lack ? ` ${lack}` : ''}${ofRead ? `, of a read ${ofRead.kind} ${ofRead.scope}` : ''}`;
};

test('the table has each code once, with its kind and scope', (t) => {
  const found = new Map<string, string>();
  for (const [meaning, codes] of Object.entries(expected))
    for (const code of codes.trim().split(/\s+/)) {
      t.false(found.has(code), code);
      found.set(code, meaning);
    }
  t.deepEqual([...knownCodes.keys()].toSorted(), [...found.keys()].toSorted());
  for (const [code, meaning] of found) t.is(described(code), meaning, code);
});

const thrown = (code: string, httpStatusCode: number) =>
  Object.assign(new Error('It is refused.'), { name: code, Code: code, $metadata: { httpStatusCode } });

for (const [code, meaning] of knownCodes) {
  test(`${code}: the user reads the sentence of the cloud, what to do, and the code`, (t) => {
    t.true(codeScopes.includes(meaning.scope));
    t.regex(meaning.advice, /^[A-Z].*\.$/);
    const { kind, message } = faultOf(thrown(code, 400), {
      action: 'RunInstances',
      mutating: true,
      sent: true,
      instance: 'east',
    });
    t.is(kind, meaning.kind === 'transient' ? 'unknown-outcome' : meaning.kind);
    const ends = ['quota', 'invalid', 'credentials'].includes(kind) || meaning.lack ? ` ${meaning.advice}` : '';
    const whose = kind === 'credentials' ? /^(AWS refused|There are no) .*'east'/ : /^RunInstances: It is refused\./;
    t.regex(message, whose);
    t.true(message.endsWith(`It is refused.${ends} Error Code: ${code}`), message);
  });

  test(`${code}: as a reason inside an answer it never makes an instance unhealthy for want of a permission`, (t) => {
    const { kind, message, lack } = reasonFor(code, 'It is refused', 'CreateFleet');
    t.is(lack, meaning.lack);
    t.true(message.startsWith('CreateFleet: It is refused.'), message);
    t.true(message.endsWith(` Error Code: ${code}`), message);
    if (meaning.scope !== 'instance' && meaning.scope !== 'account') t.not(kind, 'credentials');
  });
}

test('only refusals of the key, the token, their expiry or the account make an instance unhealthy', (t) => {
  for (const [code, { kind, scope }] of knownCodes)
    if (kind === 'credentials') t.true(scope === 'instance' || scope === 'account', code);
});

test('Client.InternalError names KMS, and the same code without its prefix is an error of the cloud', (t) => {
  const { kind, message } = reasonFor('Client.InternalError', 'Client.InternalError: Client error on launch');
  t.is(kind, 'invalid');
  t.regex(message, /KMS key/);
  t.is(reasonFor('Server.InternalError', 'Internal error on launch').kind, 'unavailable');
});

test('a type that a zone does not offer is short for all templates; one that an image does not support, for its template', (t) => {
  const inZone =
    'Your requested instance type (p5.48xlarge) is not supported in your requested Availability Zone (a).';
  for (const code of ['Unsupported', 'InvalidFleetConfiguration']) {
    t.is(meaningOfCode(code, inZone)?.lack, undefined);
    t.is(meaningOfCode(code, 'The requested configuration is currently not supported.')?.lack, 'terms');
  }
});
