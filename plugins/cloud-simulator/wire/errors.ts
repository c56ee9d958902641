/** An AWS error, which becomes the error body of the answer. */
export class AwsError extends Error {
  readonly code: string;
  /** HTTP status. */
  readonly status: number;

  constructor(code: string, message: string, status: number = httpStatusOf(code)) {
    super(message);
    this.name = 'AwsError';
    this.code = code;
    this.status = status;
  }
}

// EC2 reports missing capacity and throttling as server errors, which the SDK retries by default.
const statuses: Readonly<Record<string, number>> = {
  AuthFailure: 401,
  MissingAuthenticationToken: 403,
  ExpiredToken: 403,
  ExpiredTokenException: 403,
  InvalidClientTokenId: 403,
  SignatureDoesNotMatch: 403,
  UnauthorizedOperation: 403,
  AccessDenied: 403,
  DryRunOperation: 412,
  InsufficientInstanceCapacity: 500,
  InsufficientHostCapacity: 500,
  InsufficientCapacity: 500,
  InsufficientAddressCapacity: 500,
  InsufficientReservedInstanceCapacity: 500,
  InsufficientVolumeCapacity: 500,
  IdempotentCallInProgress: 500,
  ResourceContention: 500,
  ServiceLinkedRoleFailure: 500,
  InternalError: 500,
  InternalFailure: 500,
  ServerInternal: 500,
  BandwidthLimitExceeded: 503,
  RequestLimitExceeded: 503,
  ServiceUnavailable: 503,
  Unavailable: 503,
};

/** The HTTP status that AWS sends with an error code: 400 except for server and authorization errors. */
function httpStatusOf(code: string): number {
  return statuses[code] ?? 400;
}

export function invalidParameter(message: string): AwsError {
  return new AwsError('InvalidParameterValue', message);
}

export function invalidCombination(message: string): AwsError {
  return new AwsError('InvalidParameterCombination', message);
}

export function missingParameter(name: string): AwsError {
  return new AwsError('MissingParameter', `The request must contain the parameter ${name}`);
}
