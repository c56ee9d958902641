/** A record inside the store. It is never handed out, so that no caller can change it. */
export type Kept = { readonly [field: string]: unknown };
