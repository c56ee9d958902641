/** The time-outs of calls into plugins in milliseconds, by verb. The metrics use the names of the verbs. */
export const timeOuts = {
  connect: 30_000,
  identity: 30_000,
  check: 15_000,
  close: 1_500,
  prepare: 60_000,
  launch: 180_000,
  observe: 60_000,
  release: 120_000,
  dispose: 60_000,
  find: 60_000,
  discovery: 120_000,
  discover: 20_000,
  diagnose: 30_000,
  'which-live': 60_000,
  owned: 420_000,
  remove: 120_000,
  'receive-notices': 45_000,
  'acknowledge-notices': 30_000,
} as const;

/** A verb of the plugin contract, as the metrics count it. */
export type Verb = keyof typeof timeOuts;
