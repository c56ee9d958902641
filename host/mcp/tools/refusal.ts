/** A failure by the protocol's own numbers. Not the library's class: that writes the number into the message too, at either end. */
export interface Refusal extends Error {
  readonly code: number;
  readonly data?: unknown;
}

export const refusal = (code: number, message: string, data?: unknown): Refusal => Object.assign(new Error(message), { code, data });

export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && 'code' in error && typeof error.code === 'number';
