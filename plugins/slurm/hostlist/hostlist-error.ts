/** A text that is no hostlist. The message names the place. */
export class HostlistError extends Error {}
