import { createHash } from 'node:crypto';
import type { Action, ActionCall } from '../../dispatch/action.ts';
import { identityOf, isSessionKey } from '../../state/sessions.ts';
import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { sessionKey } from '../../wire/session-key.ts';
import { leaf, node, timestamp } from '../../wire/xml/xml.ts';

const arnForm = /^arn:(aws[a-z-]*):iam::(\d{12}):role\/(?:[\x21-\x7e]+\/)?([\w+=,.@-]{1,64})$/;
const sessionNameForm = /^[\w+=,.@-]{2,64}$/;

/**
 * STS: issues keys for a role of any account; every role exists and trusts every caller. The keys belong to the
 * account of the role and are valid until their expiration.
 */
export const assumeRole: Action = {
  name: 'AssumeRole',
  version: '2011-06-15',
  mutating: true,
  handle(call) {
    const { now, random } = call;
    const { arn, sessionName, seconds } = readRequest(call);
    const [, partition = '', account = '', role = ''] = arnForm.exec(arn) ?? [];
    const accessKey = sessionKey(account, random);
    const session = {
      arn: `arn:${partition}:sts::${account}:assumed-role/${role}/${sessionName}`,
      userId: `${roleId(arn)}:${sessionName}`,
      expiresAt: now + seconds * 1000,
    };
    call.sessions.open(accessKey, session);
    call.touched.push(accessKey);
    return (
      node(
        'Credentials',
        leaf('AccessKeyId', accessKey) +
          leaf('SecretAccessKey', random.hex(40)) +
          leaf('SessionToken', random.hex(120)) +
          timestamp('Expiration', session.expiresAt),
      ) + node('AssumedRoleUser', leaf('AssumedRoleId', session.userId) + leaf('Arn', session.arn))
    );
  },
};

interface AssumeRoleRequest {
  readonly arn: string;
  readonly sessionName: string;
  readonly seconds: number;
}

/** Reads the parameters. As in STS, one error names everything that is wrong with them. */
function readRequest(call: ActionCall): AssumeRoleRequest {
  const { params, accessKey } = call;
  const arn = text(params, 'RoleArn');
  const sessionName = text(params, 'RoleSessionName');
  const duration = text(params, 'DurationSeconds') ?? '3600';
  const seconds = Number(duration);
  const wrong = [
    ...objection(
      'roleArn',
      arn,
      arn !== undefined && arn.length >= 20 && arn.length <= 2048,
      'Member must have length between 20 and 2048',
    ),
    ...objection(
      'roleSessionName',
      sessionName,
      sessionName !== undefined && sessionNameForm.test(sessionName),
      'Member must have 2 to 64 characters of [\\w+=,.@-]',
    ),
    ...objection(
      'durationSeconds',
      duration,
      /^\d+$/.test(duration) && seconds >= 900 && seconds <= 43_200,
      'Member must be a number between 900 and 43200',
    ),
  ];
  if (wrong.length > 0)
    throw invalid(`${wrong.length} validation error${wrong.length > 1 ? 's' : ''} detected: ${wrong.join('; ')}`);
  if (!arnForm.test(arn as string)) throw invalid(`${arn} is invalid`);
  if (seconds > 3600 && isSessionKey(accessKey))
    throw invalid('The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining');
  checkTrust(call, arn as string, seconds);
  return { arn: arn as string, sessionName: sessionName as string, seconds };
}

/** What the knob `auth.roles` demands of callers. */
function checkTrust({ params, knobs, sessions, accessKey, state }: ActionCall, arn: string, seconds: number): void {
  const role = knobs.auth.roles.findLast((one) => one.arn === arn);
  if (role === undefined) return;
  if (role.external_id !== undefined && text(params, 'ExternalId') !== role.external_id) {
    const who = identityOf(sessions, accessKey, state).arn;
    throw new AwsError(
      'AccessDenied',
      `User: ${who} is not authorized to perform: sts:AssumeRole on resource: ${arn}`,
    );
  }
  if (seconds > (role.max_session_s ?? 3600))
    throw invalid('The requested DurationSeconds exceeds the MaxSessionDuration set for this role.');
}

function objection(member: string, value: string | undefined, right: boolean, constraint: string): string[] {
  if (right) return [];
  return value === undefined
    ? [`Value null at '${member}' failed to satisfy constraint: Member must not be null`]
    : [`Value '${value}' at '${member}' failed to satisfy constraint: ${constraint}`];
}

function invalid(message: string): AwsError {
  return new AwsError('ValidationError', message);
}

/** The id of the role of an ARN. */
export function roleId(arn: string): string {
  return `AROA${createHash('sha256').update(arn).digest('hex').slice(0, 17).toUpperCase()}`;
}
