/**
 * Machines that a caller says belong to a request, and that it does not have. A face stores the question, the loop asks the provider: a fact of this topic,
 * its name the request, its item the machine's id.
 */
export const expectedTopic = 'expected';

/** A question that nobody could answer by then is forgotten. */
export const expectedMs = 600_000;
