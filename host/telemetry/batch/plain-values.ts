/** What spans consist of. */
export type Plain = string | number | boolean | null;

/** The first byte of a value. */
export const tags = { null: 0, false: 1, true: 2, number: 3, text: 4, wideText: 5 } as const;
