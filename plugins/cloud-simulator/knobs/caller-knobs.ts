import { launchActions } from '../actions/action-names.ts';
import { actionName } from './action-shapes.ts';
import {
  boolean,
  both,
  listOf,
  milliseconds,
  oneWordOf,
  orNull,
  record,
  type Shapes,
  string,
  wholeNumber,
} from './shapes.ts';
import { rule, type When } from './when.ts';

/** Behavior of client tokens that AWS does not document. The defaults are the stricter choices. */
export interface TokenKnobs {
  /** An identical replay of a call that found no capacity: the same error, or another attempt. */
  readonly failed_replay: 'repeat' | 'execute';
  /**
   * An identical replay of a launch, or of a new version of a launch template, that did not see the launch template or
   * the instance profile: the same error, or another attempt.
   */
  readonly unseen_replay: 'repeat' | 'execute';
  /** A replay when all its machines are terminated: IdempotentInstanceTerminated, or the old reservation. */
  readonly terminated_replay: 'error' | 'old';
  /** A replay of CreateFleet: the fleet's id alone, or with machines and errors. */
  readonly fleet_replay: 'bare' | 'full';
  /**
   * How long after the first call a replay is refused with IdempotentCallInProgress (500), as if that one still ran.
   */
  readonly in_progress_ms: number;
  /** How long after its first use a token is remembered. */
  readonly memory_ms: number;
}

/**
 * An action that is not allowed. With `template`, `image`, `subnet` or `role`, an action that launches is allowed, and
 * only its launches that use all of them are refused, by the way of the API: RunInstances refuses the call, an instant
 * fleet reports an error of the pool, other fleets and groups report it in their history. A star stands for any text.
 * With `untagged`, an action on existing resources is refused for those that do not have this tag, and for ids that do
 * not exist, as a policy with a condition on `aws:ResourceTag` does.
 */
export interface DeniedRule extends When {
  /** `*` = any but GetCallerIdentity. */
  readonly action: string;
  /** The id or the name of the launch template. */
  readonly template?: string;
  readonly image?: string;
  readonly subnet?: string;
  /** The name or the ARN of a role that is passed on: the instance profile, or the role of a Spot fleet. */
  readonly role?: string;
  /** The key of a tag. */
  readonly untagged?: string;
}

/**
 * What the roles of AWS's services may do. Fleets of type request and maintain, and Spot fleets, launch under such a
 * role, not as the caller; a launch that tags anything else is refused with UnauthorizedOperation.
 */
export interface ServiceRoleKnobs {
  /** Resource types that EC2 fleets of type request and maintain may tag; null = all. */
  readonly ec2_fleet_tags: readonly string[] | null;
  /** Resource types that Spot fleets may tag; null = all, as a role of the account's own may allow. */
  readonly spot_fleet_tags: readonly string[] | null;
  /** Whether launches on the Spot market are checked too, which is not known of AWS. */
  readonly spot_market: boolean;
}

/**
 * Authentication and permissions. Calls are checked in this order, before they are throttled: known_keys,
 * clock_skew_ms, expired, denied.
 */
export interface AuthKnobs {
  /**
   * Access keys that exist, beside those that AssumeRole gives out; null = every key. Others: AuthFailure (401), from
   * other services than EC2 InvalidClientTokenId (403).
   */
  readonly known_keys: readonly string[] | null;
  /**
   * Credentials that have expired: of an account or region, or of all. RequestExpired (400), from other services than
   * EC2 ExpiredToken (403).
   */
  readonly expired: readonly When[];
  /** What is not allowed: UnauthorizedOperation, from other services than EC2 AccessDenied (both 403). */
  readonly denied: readonly DeniedRule[];
  readonly service_roles: ServiceRoleKnobs;
  /** What the trust policies of roles demand. Any other role can be assumed by every caller, for twelve hours. */
  readonly roles: readonly {
    readonly arn: string;
    /** AssumeRole without this external id: AccessDenied (403). */
    readonly external_id?: string;
    /** AssumeRole with a longer DurationSeconds: ValidationError. Default 3600, as in AWS. */
    readonly max_session_s?: number;
  }[];
  /**
   * How far the cloud's clock is ahead of the computer's (below 0: behind), as the `Date` of every answer shows.
   * Calls whose signature date differs from it by more than five minutes are refused: RequestExpired, from other
   * services than EC2 SignatureDoesNotMatch.
   */
  readonly clock_skew_ms: number;
}

/** How callers are authenticated, and how their client tokens work. */
export interface CallerKnobs {
  readonly tokens: TokenKnobs;
  readonly auth: AuthKnobs;
}

// What the policies of the service-linked roles of both kinds of fleets allow.
const roleTags = ['instance', 'spot-instances-request', 'volume'];

export const callerDefaults: CallerKnobs = {
  tokens: {
    failed_replay: 'repeat',
    unseen_replay: 'repeat',
    terminated_replay: 'error',
    fleet_replay: 'bare',
    in_progress_ms: 0,
    memory_ms: 86_400_000,
  },
  auth: {
    known_keys: null,
    expired: [],
    denied: [],
    service_roles: { ec2_fleet_tags: roleTags, spot_fleet_tags: roleTags, spot_market: true },
    roles: [],
    clock_skew_ms: 0,
  },
};

const tenYearsMs = 315_360_000_000;

const skew = (value: unknown, path: string): string[] =>
  typeof value === 'number' && Math.abs(value) <= tenYearsMs
    ? []
    : [`${path}: expected milliseconds, ten years at most`];

const narrowing = { template: string, image: string, subnet: string, role: string };

// The machines of a group count for the action that created the group.
const narrowed = launchActions.filter((name) => name !== 'LaunchInstances');

const denied = both(rule({ action: actionName, ...narrowing, untagged: string }, ['action']), (value, path) => {
  const isNarrowed = Object.keys(narrowing).some((name) => value[name] !== undefined);
  return isNarrowed && value['action'] !== '*' && !narrowed.some((name) => name === value['action'])
    ? [`${path}/action: expected an action whose launches can be told apart, or *: ${narrowed.join(', ')}`]
    : [];
});

export const callerShapes: Shapes = {
  tokens: record({
    failed_replay: oneWordOf('repeat', 'execute'),
    unseen_replay: oneWordOf('repeat', 'execute'),
    terminated_replay: oneWordOf('error', 'old'),
    fleet_replay: oneWordOf('bare', 'full'),
    in_progress_ms: milliseconds,
    memory_ms: milliseconds,
  }),
  auth: record({
    known_keys: orNull(listOf(string)),
    expired: listOf(rule({})),
    denied: listOf(denied),
    service_roles: record({
      ec2_fleet_tags: orNull(listOf(string)),
      spot_fleet_tags: orNull(listOf(string)),
      spot_market: boolean,
    }),
    roles: listOf(record({ arn: string, external_id: string, max_session_s: wholeNumber(900) }, ['arn'])),
    clock_skew_ms: skew,
  }),
};
