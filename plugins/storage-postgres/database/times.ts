/** Time-outs towards the database, in milliseconds. Together they keep a call that cannot be served below 5 s. */
export const times = {
  connectMs: 4_000,
  statementMs: 5_000,
  lockMs: 2_000,
  idleInTransactionMs: 10_000,
  /** The longest wait for an answer. */
  silentMs: 4_000,
  /** The longest time from a call to its answer. */
  callMs: 5_000,
};
