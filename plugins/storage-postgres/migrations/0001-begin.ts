/**
 * One table for each kind: its key, the fields that queries use, and the whole record as JSON text. Texts are compared
 * by their bytes, absent values come first: as SQLite does it. `schema` is a quoted name.
 */
export const begin = (schema: string): string => {
  const text = 'text COLLATE "C"';
  return `
CREATE TABLE ${schema}.request (
  request_id ${text} NOT NULL PRIMARY KEY,
  kind ${text}, status ${text}, template_id ${text}, provider_type ${text}, provider_instance ${text}, waits_for ${text}, needs ${text},
  machine_count bigint, holds bigint, created_at bigint, completed_at bigint, next_at bigint,
  version bigint NOT NULL DEFAULT 1,
  epoch bigint NOT NULL DEFAULT 0,
  doc text NOT NULL
) WITH (fillfactor = 85);
CREATE INDEX request_created ON ${schema}.request (created_at NULLS FIRST, request_id NULLS FIRST);
CREATE INDEX request_status ON ${schema}.request (status NULLS FIRST, created_at NULLS FIRST, request_id NULLS FIRST);
CREATE INDEX request_template ON ${schema}.request (template_id NULLS FIRST, created_at NULLS FIRST, request_id NULLS FIRST);
CREATE INDEX request_due ON ${schema}.request (next_at NULLS FIRST, request_id NULLS FIRST) WHERE next_at IS NOT NULL;
CREATE INDEX request_waiting ON ${schema}.request (waits_for NULLS FIRST, created_at NULLS FIRST, request_id NULLS FIRST) INCLUDE (status) WHERE waits_for IS NOT NULL;
CREATE INDEX request_holding ON ${schema}.request (template_id NULLS FIRST) INCLUDE (holds) WHERE holds > 0;

CREATE TABLE ${schema}.attempt (
  request_id ${text} NOT NULL, attempt bigint NOT NULL, provider_instance ${text}, state ${text}, active bigint, token ${text},
  doc text NOT NULL,
  PRIMARY KEY (request_id, attempt)
) WITH (fillfactor = 85);
CREATE INDEX attempt_token ON ${schema}.attempt (token NULLS FIRST, request_id NULLS FIRST, attempt NULLS FIRST);
CREATE INDEX attempt_active ON ${schema}.attempt (active NULLS FIRST, provider_instance NULLS FIRST, request_id NULLS FIRST, attempt NULLS FIRST);

CREATE TABLE ${schema}.machine (
  provider_instance ${text} NOT NULL, machine_id ${text} NOT NULL,
  request_id ${text}, attempt bigint, template_id ${text}, status ${text}, name ${text}, private_ip ${text}, return_id ${text},
  market ${text}, created_at bigint, gone_at bigint, doc text NOT NULL,
  PRIMARY KEY (provider_instance, machine_id)
) WITH (fillfactor = 85);
CREATE INDEX machine_request ON ${schema}.machine (request_id NULLS FIRST, created_at NULLS FIRST, machine_id NULLS FIRST, provider_instance NULLS FIRST);
CREATE INDEX machine_created ON ${schema}.machine (created_at NULLS FIRST, machine_id NULLS FIRST, provider_instance NULLS FIRST);
CREATE INDEX machine_living ON ${schema}.machine (created_at NULLS FIRST, machine_id NULLS FIRST, provider_instance NULLS FIRST) WHERE gone_at IS NULL;
CREATE INDEX machine_id ON ${schema}.machine (machine_id NULLS FIRST, provider_instance NULLS FIRST);
CREATE INDEX machine_name ON ${schema}.machine (name NULLS FIRST, provider_instance NULLS FIRST, machine_id NULLS FIRST) WHERE name IS NOT NULL;
CREATE INDEX machine_return ON ${schema}.machine (return_id NULLS FIRST, provider_instance NULLS FIRST, machine_id NULLS FIRST) WHERE return_id IS NOT NULL;
CREATE INDEX machine_returning ON ${schema}.machine (return_id NULLS FIRST, gone_at NULLS FIRST, provider_instance NULLS FIRST, machine_id NULLS FIRST) WHERE return_id IS NOT NULL AND gone_at IS NULL;
CREATE INDEX machine_template ON ${schema}.machine (template_id NULLS FIRST, status NULLS FIRST, provider_instance NULLS FIRST, machine_id NULLS FIRST);
CREATE INDEX machine_status ON ${schema}.machine (status NULLS FIRST, provider_instance NULLS FIRST, machine_id NULLS FIRST);

CREATE TABLE ${schema}.signal (
  signal_id ${text} NOT NULL PRIMARY KEY, request_id ${text}, return_id ${text}, applied bigint, created_at bigint, doc text NOT NULL
);
CREATE INDEX signal_request ON ${schema}.signal (request_id NULLS FIRST, signal_id NULLS FIRST);
CREATE INDEX signal_return ON ${schema}.signal (return_id NULLS FIRST, signal_id NULLS FIRST) WHERE return_id IS NOT NULL;
CREATE INDEX signal_applied ON ${schema}.signal (applied NULLS FIRST, signal_id NULLS FIRST);
CREATE INDEX signal_waiting ON ${schema}.signal (request_id, created_at) WHERE applied = 0;

CREATE TABLE ${schema}.template (
  template_id ${text} NOT NULL PRIMARY KEY, updated_at bigint, version bigint NOT NULL DEFAULT 1, doc text NOT NULL
);

CREATE TABLE ${schema}.key (
  scope ${text} NOT NULL, key ${text} NOT NULL, request_id ${text}, created_at bigint, doc text NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX key_request ON ${schema}.key (request_id NULLS FIRST, scope NULLS FIRST, key NULLS FIRST);
CREATE INDEX key_created ON ${schema}.key (created_at NULLS FIRST, scope NULLS FIRST, key NULLS FIRST);

CREATE TABLE ${schema}.fact (
  topic ${text} NOT NULL, name ${text} NOT NULL, item ${text} NOT NULL, until bigint, doc text NOT NULL,
  PRIMARY KEY (topic, name, item)
) WITH (fillfactor = 70);
CREATE INDEX fact_until ON ${schema}.fact (until NULLS FIRST, topic NULLS FIRST, name NULLS FIRST, item NULLS FIRST) WHERE until IS NOT NULL;

CREATE TABLE ${schema}.event (
  seq bigint NOT NULL PRIMARY KEY, request_id ${text}, type ${text}, at bigint, doc text NOT NULL
);
CREATE INDEX event_request ON ${schema}.event (request_id NULLS FIRST, seq NULLS FIRST) WHERE request_id IS NOT NULL;

-- The leases of brokers. Claims and jobs refer to a lease, so that a renewal writes one row. A lease that ended never
-- begins again: its broker gets a new one. Its row stays while claims or jobs refer to it, and while it is listed.
CREATE TABLE ${schema}.broker (
  term bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, broker_id ${text} NOT NULL, thread bigint NOT NULL, lease_until bigint NOT NULL,
  ended_at bigint, stopped boolean NOT NULL DEFAULT false, doc text NOT NULL
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX broker_running ON ${schema}.broker (broker_id, thread) WHERE ended_at IS NULL;

-- A row goes when its holder yields; one that is found by the next holder was not yielded.
CREATE TABLE ${schema}.claim (
  request_id ${text} NOT NULL PRIMARY KEY REFERENCES ${schema}.request ON DELETE CASCADE,
  epoch bigint NOT NULL, term bigint NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX claim_term ON ${schema}.claim (term);

-- Work that one broker does at a time. Without a term the job is free.
CREATE TABLE ${schema}.job (job ${text} NOT NULL PRIMARY KEY, epoch bigint NOT NULL, term bigint) WITH (fillfactor = 70);

-- The time of the last claim.
CREATE TABLE ${schema}.clock (one boolean PRIMARY KEY DEFAULT true CHECK (one), last bigint);
INSERT INTO ${schema}.clock DEFAULT VALUES;

-- The number of the last event, and how often each kind was changed. Every commit that changes records locks this row
-- as its last step. So commits become visible in the order of their events, and none is numbered below a visible one.
CREATE TABLE ${schema}.state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), seq bigint NOT NULL DEFAULT 0,
  request bigint NOT NULL DEFAULT 0, attempt bigint NOT NULL DEFAULT 0, machine bigint NOT NULL DEFAULT 0,
  signal bigint NOT NULL DEFAULT 0, template bigint NOT NULL DEFAULT 0, key bigint NOT NULL DEFAULT 0,
  fact bigint NOT NULL DEFAULT 0, event bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
INSERT INTO ${schema}.state DEFAULT VALUES;

-- How many there are, so that no page counts. "sort" is the kind of a request, empty for machines.
CREATE TABLE ${schema}.counter (
  of text NOT NULL, sort text NOT NULL, status text NOT NULL, n bigint NOT NULL, PRIMARY KEY (of, sort, status)
) WITH (fillfactor = 20);

-- Shows that the database can be written.
CREATE TABLE ${schema}.probe (one boolean PRIMARY KEY DEFAULT true CHECK (one), n bigint NOT NULL DEFAULT 0) WITH (fillfactor = 20);
INSERT INTO ${schema}.probe DEFAULT VALUES;

-- The triggers write what they count into a setting of the transaction. Its last step adds that to the counters: rows
-- that every commit changes are locked for a moment only, and always in the same order.
CREATE FUNCTION ${schema}.count_request() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE changes text := current_setting('muster.tally', true); BEGIN
  changes := concat(changes, 'request|', old.kind, '|', old.status, '|-1;');
  IF TG_OP <> 'DELETE' THEN changes := concat(changes, 'request|', new.kind, '|', new.status, '|1;'); END IF;
  PERFORM set_config('muster.tally', changes, true);
  RETURN NULL;
END $$;
CREATE FUNCTION ${schema}.count_machine() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE changes text := current_setting('muster.tally', true); BEGIN
  changes := concat(changes, 'machine||', old.status, '|-1;');
  IF TG_OP <> 'DELETE' THEN changes := concat(changes, 'machine||', new.status, '|1;'); END IF;
  PERFORM set_config('muster.tally', changes, true);
  RETURN NULL;
END $$;
-- A statement that inserts many rows is counted once.
CREATE FUNCTION ${schema}.count_new_requests() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE changes text; BEGIN
  SELECT string_agg(concat('request|', kind, '|', status, '|', n, ';'), '') INTO changes FROM (SELECT kind, status, count(*) AS n FROM added GROUP BY kind, status) AS counted;
  PERFORM set_config('muster.tally', concat(current_setting('muster.tally', true), changes), true);
  RETURN NULL;
END $$;
CREATE FUNCTION ${schema}.count_new_machines() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE changes text; BEGIN
  SELECT string_agg(concat('machine||', status, '|', n, ';'), '') INTO changes FROM (SELECT status, count(*) AS n FROM added GROUP BY status) AS counted;
  PERFORM set_config('muster.tally', concat(current_setting('muster.tally', true), changes), true);
  RETURN NULL;
END $$;
CREATE TRIGGER came AFTER INSERT ON ${schema}.request REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.count_new_requests();
CREATE TRIGGER went AFTER DELETE ON ${schema}.request FOR EACH ROW EXECUTE FUNCTION ${schema}.count_request();
CREATE TRIGGER turned AFTER UPDATE OF kind, status ON ${schema}.request FOR EACH ROW
  WHEN (old.status IS DISTINCT FROM new.status OR old.kind IS DISTINCT FROM new.kind) EXECUTE FUNCTION ${schema}.count_request();
CREATE TRIGGER came AFTER INSERT ON ${schema}.machine REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.count_new_machines();
CREATE TRIGGER went AFTER DELETE ON ${schema}.machine FOR EACH ROW EXECUTE FUNCTION ${schema}.count_machine();
CREATE TRIGGER turned AFTER UPDATE OF status ON ${schema}.machine FOR EACH ROW
  WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION ${schema}.count_machine();

-- The only clock: epoch milliseconds.
CREATE FUNCTION ${schema}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

-- Ends the transaction of a commit that is refused; the message carries what the refusal names.
CREATE FUNCTION ${schema}.refuse(what text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN
  RAISE EXCEPTION '%', what USING ERRCODE = 'MU001';
END $$;
`;
};
