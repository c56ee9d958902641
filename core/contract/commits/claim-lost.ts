const mark = Symbol.for('muster.claim-lost');

/**
 * This process no longer holds the claim, so it must not change the request any more. Plugins let this error pass
 * through.
 */
export class ClaimLost extends Error {
  readonly [mark] = true;

  constructor(request_id: string) {
    super(`The claim on '${request_id}' is lost.`);
    this.name = 'ClaimLost';
  }
}

/** Recognizes the error by its mark, never by its class, so that two copies of this module understand each other. */
export function isClaimLost(error: unknown): error is ClaimLost {
  try {
    return typeof error === 'object' && error !== null && mark in error;
  } catch {
    // A Proxy of a plugin may throw.
    return false;
  }
}
