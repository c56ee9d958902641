import { accountOfSessionKey } from '../wire/session-key.ts';

/** The identity of a caller, as GetCallerIdentity returns it. */
export interface Identity {
  readonly arn: string;
  readonly userId: string;
}

/** A session of a role, opened by AssumeRole. */
export interface Session extends Identity {
  /** Milliseconds of the simulator's clock. */
  readonly expiresAt: number;
}

/** The sessions of this process by access key. Keys of an earlier process are missing here, and never expire. */
export interface SessionTable {
  open(accessKey: string, session: Session): void;
  get(accessKey: string): Session | undefined;
  clear(): void;
}

export function createSessionTable(): SessionTable {
  const sessions = new Map<string, Session>();
  return {
    open: (accessKey, session) => void sessions.set(accessKey, session),
    get: (accessKey) => sessions.get(accessKey),
    clear: () => sessions.clear(),
  };
}

/** Whether AssumeRole issued a key, in this or an earlier process. */
export function isSessionKey(accessKey: string): boolean {
  return accountOfSessionKey(accessKey) !== undefined;
}

/** The identity of an access key. For sessions of an earlier process only the account is known. */
export function identityOf(
  sessions: SessionTable,
  accessKey: string,
  { account, region }: { readonly account: string; readonly region: string },
): Identity {
  const partition = partitionOf(region);
  const session = sessions.get(accessKey);
  if (session !== undefined) return session;
  if (!isSessionKey(accessKey))
    return { arn: `arn:${partition}:iam::${account}:user/simulated`, userId: `AIDA${account}SIMULATED` };
  return {
    arn: `arn:${partition}:sts::${account}:assumed-role/forgotten/forgotten`,
    userId: `AROA${account}SIMULATED:forgotten`,
  };
}

const partitions: readonly (readonly [prefix: string, partition: string])[] = [
  ['cn-', 'aws-cn'],
  ['us-gov-', 'aws-us-gov'],
  ['us-iso-', 'aws-iso'],
  ['us-isob-', 'aws-iso-b'],
  ['us-isof-', 'aws-iso-f'],
  ['eu-isoe-', 'aws-iso-e'],
  ['eusc-', 'aws-eusc'],
];

/** The partition of a region, as ARNs name it. */
export function partitionOf(region: string): string {
  return partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'aws';
}
