/**
 * What requests reserve, and its sums for each scope that a budget has asked for; `scope` is the key of the scope. The
 * sums are written with the requests, see `Budgets`. A scope without a row is summed up when it is first asked for.
 * What requests of earlier versions hold counts as machines without a known price until their next change.
 */
export const budgets = `
ALTER TABLE request ADD COLUMN reserves TEXT;
UPDATE request SET doc = json_set(doc, '$.reserves', r.reserves), reserves = r.reserves FROM (
  SELECT request_id AS id, json_object('parts', json_array(json_array(provider_instance, 'any', holds, 0, 0, holds, holds))) AS reserves
  FROM request WHERE holds > 0 AND kind = 'provision') AS r WHERE request_id = r.id;

CREATE INDEX machine_gone ON machine (gone_at, provider_instance, machine_id) WHERE gone_at IS NOT NULL;

CREATE TABLE budget (
  scope TEXT NOT NULL PRIMARY KEY,
  machines INTEGER NOT NULL, vcpus INTEGER NOT NULL, microusd INTEGER NOT NULL, unsized INTEGER NOT NULL, unpriced INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
