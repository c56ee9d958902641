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
export function identityOf(sessions: SessionTable, accessKey: string, account: string): Identity {
  const session = sessions.get(accessKey);
  if (session !== undefined) return session;
  if (!isSessionKey(accessKey))
    return { arn: `arn:aws:iam::${account}:user/simulated`, userId: `AIDA${account}SIMULATED` };
  return {
    arn: `arn:aws:sts::${account}:assumed-role/forgotten/forgotten`,
    userId: `AROA${account}SIMULATED:forgotten`,
  };
}
