import { namesUntagged } from '../actions/tags/names-untagged.ts';
import type { ActionCall } from './action.ts';
import type { DeniedRule } from '../knobs/caller-knobs.ts';
import { isNarrowed, notAllowed } from '../launch/permission.ts';
import { identityOf, isSessionKey } from '../state/sessions.ts';
import type { Caller } from '../wire/caller.ts';
import { AwsError } from '../wire/errors.ts';

const toleranceMs = 300_000;

/**
 * Refuses callers that AWS would refuse, in AWS's order: the key, the date of the signature, the expiry of the
 * credentials, the permission. This check precedes throttling, so a refused caller draws from no bucket. Error codes
 * differ by service.
 */
export function admit(call: ActionCall, caller: Caller, service: string): void {
  const { knobs, rules, sessions, now } = call;
  const { known_keys, expired, denied, clock_skew_ms } = knobs.auth;
  const { accessKey, signedAt } = caller;

  if (known_keys !== null && !known_keys.includes(accessKey) && !isSessionKey(accessKey)) throw unknownKey(service);
  const cloudTime = Date.now() + clock_skew_ms;
  // If the simulator's clock differs from the computer's, an SDK may have corrected its own clock by an old answer,
  // so the date of its signature is not checked.
  const isStrange = clock_skew_ms === 0 && Math.abs(now - cloudTime) > toleranceMs;
  if (!isStrange && signedAt !== undefined && Math.abs(signedAt - cloudTime) > toleranceMs)
    throw wrongDate(service, signedAt, cloudTime);
  const session = sessions.get(accessKey);
  if ((session !== undefined && now >= session.expiresAt) || expired.some((rule) => rules.inForce(rule, call)))
    throw credentialsEnded(service);
  // GetCallerIdentity needs no permission.
  const concerned = (action: string) =>
    action === call.action || (action === '*' && call.action !== 'GetCallerIdentity');
  const denies = (rule: DeniedRule): boolean =>
    !isNarrowed(rule) &&
    concerned(rule.action) &&
    rules.inForce(rule, call) &&
    (rule.untagged === undefined || namesUntagged(call, rule.untagged));
  if (denied.some(denies)) {
    throw notAllowed(service, call.action, identityOf(sessions, accessKey, caller).arn);
  }
}

const isJson = (service: string): boolean => service === 'ssm' || service === 'sqs';

function unknownKey(service: string): AwsError {
  if (isJson(service))
    return new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.');
  return service === 'ec2'
    ? new AwsError('AuthFailure', 'AWS was not able to validate the provided access credentials')
    : new AwsError('InvalidClientTokenId', 'The security token included in the request is invalid.');
}

function wrongDate(service: string, signedAt: number, cloudTime: number): AwsError {
  const [signed, here] = [awsDate(signedAt), awsDate(cloudTime)];
  if (service === 'ec2')
    return new AwsError('RequestExpired', `Request has expired. It was signed for ${signed}, and it is ${here}.`);
  const wrong = signedAt < cloudTime ? 'Signature expired' : 'Signature not yet current';
  return new AwsError(
    isJson(service) ? 'InvalidSignatureException' : 'SignatureDoesNotMatch',
    `${wrong}: ${signed} is more than 5 minutes away from ${here}.`,
  );
}

function credentialsEnded(service: string): AwsError {
  if (isJson(service))
    return new AwsError('ExpiredTokenException', 'The security token included in the request is expired', 400);
  return service === 'ec2'
    ? new AwsError('RequestExpired', 'Request has expired.')
    : new AwsError('ExpiredToken', 'The security token included in the request is expired');
}

function awsDate(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}
