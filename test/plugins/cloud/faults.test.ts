import test from 'ava';
import { ProviderFault } from '../../../core/index.ts';
import { faultOf } from '../../../plugins/cloud/faults/faults.ts';

const sdkError = (code: string, httpStatusCode: number, message = 'no') =>
  Object.assign(new Error(message), { name: code, Code: code, $metadata: { httpStatusCode } });
const kind = (error: unknown, mutating: boolean, sent = true): string =>
  faultOf(error, { action: 'RunInstances', mutating, sent }).kind;

const cases: readonly (readonly [code: string, status: number, changing: string, asking: string, message?: string])[] =
  [
    ['InsufficientInstanceCapacity', 500, 'capacity', 'capacity'],
    [
      'InsufficientInstanceCapacity',
      500,
      'quota',
      'quota',
      'You have reached the limit of instances in this spread placement group.',
    ],
    ['Unsupported', 400, 'capacity', 'capacity'],
    ['InsufficientFreeAddressesInSubnet', 400, 'capacity', 'capacity'],
    ['VcpuLimitExceeded', 400, 'quota', 'quota'],
    ['SomeNewLimitExceeded', 400, 'quota', 'quota'],
    ['RequestLimitExceeded', 503, 'throttled', 'throttled'],
    ['Throttling', 400, 'throttled', 'throttled'],
    ['RequestResourceCountExceeded', 400, 'quota', 'throttled'],
    ['AuthFailure', 401, 'credentials', 'credentials'],
    ['AuthFailure', 401, 'invalid', 'invalid', 'Not authorized for images: [ami-1]'],
    ['AuthFailure', 401, 'credentials', 'credentials', 'AWS was not able to validate the provided access credentials'],
    ['UnauthorizedOperation', 403, 'invalid', 'credentials'],
    ['AccessDenied', 403, 'invalid', 'credentials'],
    ['OptInRequired', 401, 'invalid', 'credentials'],
    ['AuthFailure.ServiceLinkedRoleCreationNotPermitted', 403, 'invalid', 'invalid'],
    ['InvalidFleetConfiguration', 400, 'capacity', 'capacity'],
    ['MaxFleetTargetCapacityExceeded', 400, 'quota', 'quota'],
    ['ExpiredToken', 400, 'credentials', 'credentials'],
    ['InvalidParameterValue', 400, 'invalid', 'invalid'],
    [
      'InvalidParameterValue',
      400,
      'unavailable',
      'unavailable',
      'Value (x) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name',
    ],
    ['InvalidAMIID.NotFound', 400, 'invalid', 'invalid'],
    ['InvalidSubnetID.NotFound', 400, 'invalid', 'invalid'],
    ['InvalidFleetId.Malformed', 400, 'invalid', 'invalid'],
    ['InvalidInstanceID.NotFound', 400, 'gone', 'gone'],
    ['InvalidLaunchTemplateId.NotFound', 400, 'gone', 'gone'],
    ['IdempotentInstanceTerminated', 400, 'gone', 'gone'],
    ['IdempotentParameterMismatch', 400, 'unknown-outcome', 'unknown-outcome'],
    ['AlreadyExistsFault', 400, 'unknown-outcome', 'unknown-outcome'],
    ['ResourceContentionFault', 500, 'unavailable', 'unavailable'],
    ['InternalError', 500, 'unknown-outcome', 'unavailable'],
    ['ServiceUnavailable', 503, 'unknown-outcome', 'unavailable'],
    ['NeverHeardOf', 400, 'invalid', 'invalid'],
    ['NeverHeardOf', 500, 'unknown-outcome', 'unavailable'],
  ];
for (const [code, status, changing, asking, message] of cases) {
  test(`${code} (${status})${message ? ` with "${message.slice(0, 30)}"` : ''} is ${changing} of a change and ${asking} of a question`, (t) => {
    t.is(kind(sdkError(code, status, message), true), changing);
    t.is(kind(sdkError(code, status, message), false), asking);
  });
}

const broken: readonly (readonly [what: string, error: object, sent: boolean, changing: string])[] = [
  [
    'a reset connection',
    { name: 'TimeoutError', code: 'ECONNRESET', message: 'socket hang up' },
    true,
    'unknown-outcome',
  ],
  [
    'a cut body',
    { name: 'Error', code: 'ECONNRESET', message: 'aborted', $metadata: { httpStatusCode: 200 } },
    true,
    'unknown-outcome',
  ],
  [
    'unreadable XML',
    { name: 'Error', message: '@aws-sdk XML parse error', $metadata: { httpStatusCode: 200 } },
    true,
    'unknown-outcome',
  ],
  [
    'a bad time',
    { name: 'TypeError', message: 'Invalid RFC3339 timestamp format', $metadata: { httpStatusCode: 200 } },
    true,
    'unknown-outcome',
  ],
  [
    "a gateway's page",
    { name: 'Unknown', message: 'Unknown', $metadata: { httpStatusCode: 502 } },
    true,
    'unknown-outcome',
  ],
  ['an abort', { name: 'AbortError', message: 'Request aborted' }, true, 'unknown-outcome'],
  [
    'a time-out',
    { name: 'TimeoutError', code: 'ETIMEDOUT', message: 'exceeded the configured 300 ms requestTimeout' },
    true,
    'unknown-outcome',
  ],
  [
    'a refused connection',
    { name: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
    true,
    'unavailable',
  ],
  ['an unknown host', { name: 'Error', code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND' }, true, 'unavailable'],
  [
    'no connection in time',
    { name: 'TimeoutError', code: 'ETIMEDOUT', message: 'did not establish a connection with the server' },
    true,
    'unavailable',
  ],
  ['an abort before it was sent', { name: 'AbortError', message: 'Request aborted' }, false, 'unavailable'],
  [
    'no credentials',
    { name: 'CredentialsProviderError', message: 'Could not load credentials from any providers' },
    false,
    'credentials',
  ],
  [
    "a proxy's refusal",
    { name: 'Unknown', message: 'Unknown', $metadata: { httpStatusCode: 407 } },
    true,
    'unavailable',
  ],
];
for (const [what, error, sent, changing] of broken) {
  test(`${what} is ${changing} of a change`, (t) => {
    t.is(kind(Object.assign(new Error(), error), true, sent), changing);
    if (changing !== 'credentials') t.is(kind(Object.assign(new Error(), error), false), 'unavailable');
  });
}

test('a ProviderFault is returned unchanged', (t) => {
  const fault = new ProviderFault('quota', 'enough');
  t.is(faultOf(fault, { action: 'x', mutating: true }), fault);
});

test('messages of faults end with the code and contain no secrets', (t) => {
  const message =
    'You, AKIAIOSFODNN7EXAMPLE with hush-hush, may not. Encoded authorization failure message: abc-DEF_123';
  const fault = faultOf(sdkError('UnauthorizedOperation', 403, message), {
    action: 'RunInstances',
    mutating: true,
    secrets: ['hush-hush'],
  });
  t.is(
    fault.message,
    'RunInstances: You, *** with ***, may not. The policies of the account deny this call for what it names (an image, a subnet, a launch template, a role, a key, tags or a machine). Grant the permission, or change the template. Error Code: UnauthorizedOperation',
  );
  t.notRegex(JSON.stringify(fault.cause), /hush|AKIA|abc-DEF/);
});

test('the message of a credentials fault names the instance once', (t) => {
  const about = { action: 'DescribeInstances', mutating: false, instance: 'east' };
  const refused = faultOf(sdkError('RequestExpired', 400, 'Request has expired.'), about);
  t.is(refused.kind, 'credentials');
  t.is(
    refused.message,
    "AWS refused the credentials of 'east' (RequestExpired): DescribeInstances: Request has expired. Renew the credentials, and check the clock of this host. Error Code: RequestExpired",
  );
  t.is(faultOf(refused, about), refused);
  const none = faultOf(
    { name: 'CredentialsProviderError', message: 'Could not load credentials from any providers' },
    about,
  );
  t.is(
    none.message,
    "There are no credentials of 'east': Could not load credentials from any providers. Error Code: CredentialsProviderError",
  );
  const own = faultOf(new ProviderFault('credentials', 'One of them is missing.'), about);
  t.is(own.message, "The credentials of 'east' cannot be used: One of them is missing.");
  t.is(faultOf(own, about), own);
  const other = new ProviderFault('capacity', 'None left.');
  t.is(faultOf(other, about), other);
});
