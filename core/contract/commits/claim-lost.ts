const mark = Symbol.for('muster.claim-lost');

/** This process no longer holds the claim: whatever it was about to change, somebody else decides now. Plugins let it pass through. */
export class ClaimLost extends Error {
  readonly [mark] = true;

  constructor(request_id: string) {
    super(`The claim on '${request_id}' is lost.`);
    this.name = 'ClaimLost';
  }
}

/** Recognises it by its mark, never by class. */
export const isClaimLost = (error: unknown): error is ClaimLost => typeof error === 'object' && error !== null && mark in error;
