/**
 * Machines that belong to a request according to a caller, and that the request does not track. An interface stores a
 * fact of this topic; the loop asks the provider. The name of the fact is the request id, its item the machine id.
 */
export const expectedTopic = 'expected';

/** How long the fact is kept without an answer, in milliseconds. */
export const expectedMs = 600_000;
