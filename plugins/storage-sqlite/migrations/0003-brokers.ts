/**
 * Claims refer to the lease of a broker, so that a renewal writes one row. Claims from before belong to no lease: the
 * next holder takes them over. A lease that ended stays until it is no longer listed, and never begins again.
 */
export const brokers = `
CREATE TABLE broker (
  term INTEGER PRIMARY KEY AUTOINCREMENT, broker_id TEXT NOT NULL, thread INTEGER NOT NULL, lease_until INTEGER NOT NULL,
  ended_at INTEGER, doc TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX broker_running ON broker (broker_id, thread) WHERE ended_at IS NULL;

ALTER TABLE claim RENAME TO earlier_claim;
CREATE TABLE claim (
  request_id TEXT NOT NULL PRIMARY KEY REFERENCES request ON DELETE CASCADE, epoch INTEGER NOT NULL, term INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO claim SELECT request_id, epoch, 0 FROM earlier_claim;
DROP TABLE earlier_claim;
CREATE INDEX claim_term ON claim (term);

-- Work that one broker does at a time. Without a term the job is free.
CREATE TABLE job (job TEXT NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, term INTEGER) STRICT, WITHOUT ROWID;

ALTER TABLE request ADD COLUMN needs TEXT;
`;
