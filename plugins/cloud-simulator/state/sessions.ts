import { accountOfSessionKey } from '../wire/session-key.ts';

/** Who somebody is, as GetCallerIdentity tells it. */
export interface Identity {
  readonly arn: string;
  readonly userId: string;
}

/** A session in a role, as AssumeRole opened it. */
export interface Session extends Identity {
  /** Milliseconds of the simulator's clock. */
  readonly expiresAt: number;
}

/** The sessions of this process by access key. A key of a process before is not in it, and is valid for ever. */
export interface SessionBook {
  open(accessKey: string, session: Session): void;
  get(accessKey: string): Session | undefined;
  clear(): void;
}

export function createSessionBook(): SessionBook {
  const sessions = new Map<string, Session>();
  return {
    open: (accessKey, session) => void sessions.set(accessKey, session),
    get: (accessKey) => sessions.get(accessKey),
    clear: () => sessions.clear(),
  };
}

/** Whether a key is one that AssumeRole gave out, in this process or in one before. */
export function isSessionKey(accessKey: string): boolean {
  return accountOfSessionKey(accessKey) !== undefined;
}

/** Who the holder of an access key is. Of sessions of an earlier process only the account is known. */
export function identityOf(sessions: SessionBook, accessKey: string, account: string): Identity {
  const session = sessions.get(accessKey);
  if (session !== undefined) return session;
  if (!isSessionKey(accessKey))
    return { arn: `arn:aws:iam::${account}:user/simulated`, userId: `AIDA${account}SIMULATED` };
  return {
    arn: `arn:aws:sts::${account}:assumed-role/forgotten/forgotten`,
    userId: `AROA${account}SIMULATED:forgotten`,
  };
}
