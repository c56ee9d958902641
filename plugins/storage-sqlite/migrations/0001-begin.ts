/**
 * One table for each kind: its key, the fields that queries use, and the whole record as JSON. Indexes end with the
 * key, so that they give the complete order of a page.
 */
export const begin = `
CREATE TABLE request (
  request_id TEXT NOT NULL PRIMARY KEY,
  kind TEXT, status TEXT, template_id TEXT, provider_type TEXT, provider_instance TEXT, waits_for TEXT,
  machine_count INTEGER, holds INTEGER, created_at INTEGER, completed_at INTEGER, next_at INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  epoch INTEGER NOT NULL DEFAULT 0,
  doc TEXT NOT NULL
) STRICT;
-- The kind is found in these two by the way: an index led by it would make each insert slower.
CREATE INDEX request_created ON request (created_at, request_id, kind);
CREATE INDEX request_status ON request (status, created_at, request_id, kind);
CREATE INDEX request_template ON request (template_id, created_at, request_id);
CREATE INDEX request_due ON request (next_at, request_id) WHERE next_at IS NOT NULL;
CREATE INDEX request_waiting ON request (waits_for, created_at, request_id, status) WHERE waits_for IS NOT NULL;
CREATE INDEX request_holding ON request (template_id, holds) WHERE holds > 0;

CREATE TABLE attempt (
  request_id TEXT NOT NULL, attempt INTEGER NOT NULL, provider_instance TEXT, state TEXT, active INTEGER, token TEXT,
  doc TEXT NOT NULL,
  PRIMARY KEY (request_id, attempt)
) STRICT;
CREATE INDEX attempt_token ON attempt (token, request_id, attempt);
CREATE INDEX attempt_active ON attempt (active, provider_instance, request_id, attempt);

CREATE TABLE machine (
  provider_instance TEXT NOT NULL, machine_id TEXT NOT NULL,
  request_id TEXT, attempt INTEGER, template_id TEXT, status TEXT, name TEXT, private_ip TEXT, return_id TEXT,
  created_at INTEGER, gone_at INTEGER, doc TEXT NOT NULL,
  PRIMARY KEY (provider_instance, machine_id)
) STRICT;
CREATE INDEX machine_request ON machine (request_id, created_at, provider_instance, machine_id);
CREATE INDEX machine_id ON machine (machine_id, provider_instance);
CREATE INDEX machine_name ON machine (name, provider_instance, machine_id) WHERE name IS NOT NULL;
CREATE INDEX machine_return ON machine (return_id, provider_instance, machine_id) WHERE return_id IS NOT NULL;
CREATE INDEX machine_returning ON machine (return_id, gone_at, provider_instance, machine_id) WHERE return_id IS NOT NULL AND gone_at IS NULL;
CREATE INDEX machine_template ON machine (template_id, status, provider_instance, machine_id);
CREATE INDEX machine_status ON machine (status, provider_instance, machine_id);

CREATE TABLE signal (
  signal_id TEXT NOT NULL PRIMARY KEY, request_id TEXT, return_id TEXT, applied INTEGER, created_at INTEGER, doc TEXT NOT NULL
) STRICT;
CREATE INDEX signal_request ON signal (request_id, signal_id);
CREATE INDEX signal_return ON signal (return_id, signal_id) WHERE return_id IS NOT NULL;
CREATE INDEX signal_applied ON signal (applied, signal_id);
CREATE INDEX signal_waiting ON signal (request_id, created_at) WHERE applied = 0;

CREATE TABLE template (
  template_id TEXT NOT NULL PRIMARY KEY, updated_at INTEGER, version INTEGER NOT NULL DEFAULT 1, doc TEXT NOT NULL
) STRICT;

CREATE TABLE key (
  scope TEXT NOT NULL, key TEXT NOT NULL, request_id TEXT, created_at INTEGER, doc TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT;
CREATE INDEX key_request ON key (request_id, scope, key);
CREATE INDEX key_created ON key (created_at, scope, key);

CREATE TABLE fact (
  topic TEXT NOT NULL, name TEXT NOT NULL, item TEXT NOT NULL, until INTEGER, doc TEXT NOT NULL,
  PRIMARY KEY (topic, name, item)
) STRICT;
CREATE INDEX fact_until ON fact (until, topic, name, item) WHERE until IS NOT NULL;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT, type TEXT, at INTEGER, doc TEXT NOT NULL
) STRICT;
CREATE INDEX event_request ON event (request_id, seq) WHERE request_id IS NOT NULL;

-- Who works on a request. Narrow and apart, because leases are renewed all at once, every few seconds. A row goes when its
-- holder yields; one that is found by the next holder was not yielded.
CREATE TABLE claim (
  request_id TEXT NOT NULL PRIMARY KEY REFERENCES request ON DELETE CASCADE,
  epoch INTEGER NOT NULL, owner TEXT NOT NULL, lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_owner ON claim (owner);

-- How often each kind was changed: by it, processes learn what changed.
CREATE TABLE mark (kind TEXT PRIMARY KEY, changes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO mark VALUES ('request', 0), ('attempt', 0), ('machine', 0), ('signal', 0), ('template', 0), ('key', 0), ('fact', 0), ('event', 0);

-- How many there are, so that no page counts. "sort" is the kind of a request, empty for machines. Beside them single numbers: of 'schema', 'clock', 'write'.
CREATE TABLE counter (
  of TEXT, sort TEXT, status TEXT, n INTEGER NOT NULL, PRIMARY KEY (of, sort, status)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER request_came AFTER INSERT ON request BEGIN
  INSERT INTO counter VALUES ('request', new.kind, new.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER request_turned AFTER UPDATE OF kind, status ON request WHEN old.status IS NOT new.status OR old.kind IS NOT new.kind BEGIN
  UPDATE counter SET n = n - 1 WHERE of = 'request' AND sort = old.kind AND status = old.status;
  INSERT INTO counter VALUES ('request', new.kind, new.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER request_went AFTER DELETE ON request BEGIN
  UPDATE counter SET n = n - 1 WHERE of = 'request' AND sort = old.kind AND status = old.status;
END;
CREATE TRIGGER machine_came AFTER INSERT ON machine BEGIN
  INSERT INTO counter VALUES ('machine', '', new.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER machine_turned AFTER UPDATE OF status ON machine WHEN old.status IS NOT new.status BEGIN
  UPDATE counter SET n = n - 1 WHERE of = 'machine' AND sort = '' AND status = old.status;
  INSERT INTO counter VALUES ('machine', '', new.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER machine_went AFTER DELETE ON machine BEGIN
  UPDATE counter SET n = n - 1 WHERE of = 'machine' AND sort = '' AND status = old.status;
END;
`;
