/** A bound value. An array is one value of an array type; a buffer is a value in the binary form of its type. */
export type Value = string | number | null | Buffer | readonly (string | number | null)[];

export interface Statement {
  readonly text: string;
  readonly values?: readonly Value[];
}

/** A row as an array, in the order of the selected columns. */
export type Row = readonly unknown[];
