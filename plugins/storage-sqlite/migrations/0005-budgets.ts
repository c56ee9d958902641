/** Adds what a row of `request` reserves to the sums of the scopes that count it, or takes it away. */
const counting = (row: 'new' | 'old', sign: '+' | '-'): string => `
  UPDATE budget SET machines = budget.machines ${sign} d.machines, vcpus = budget.vcpus ${sign} d.vcpus, microusd = budget.microusd ${sign} d.microusd,
    unsized = budget.unsized ${sign} d.unsized, unpriced = budget.unpriced ${sign} d.unpriced
  FROM (
    SELECT b.scope AS scope, sum(p.value ->> 2) AS machines, sum(p.value ->> 3) AS vcpus, sum(p.value ->> 4) AS microusd,
      sum(p.value ->> 5) AS unsized, sum(p.value ->> 6) AS unpriced
    FROM budget b, json_each(${row}.reserves, '$.parts') p
    WHERE (b.template_id IS NULL OR b.template_id = ${row}.template_id)
      AND (b.provider_instance IS NULL OR b.provider_instance = p.value ->> 0)
      AND (b.market IS NULL OR p.value ->> 1 IN (b.market, 'any'))
      AND (b.tags IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(b.tags) w WHERE NOT EXISTS (
        SELECT 1 FROM json_each(${row}.reserves, '$.tags') h WHERE h.key = w.key AND h.atom = w.atom)))
    GROUP BY b.scope
  ) AS d WHERE budget.scope = d.scope;`;

/** As `counting`, for a row with one part, as each new request has: a third of the time. */
const countingOne = `
  UPDATE budget SET machines = machines + (new.reserves ->> '$.parts[0][2]'), vcpus = vcpus + (new.reserves ->> '$.parts[0][3]'),
    microusd = microusd + (new.reserves ->> '$.parts[0][4]'), unsized = unsized + (new.reserves ->> '$.parts[0][5]'),
    unpriced = unpriced + (new.reserves ->> '$.parts[0][6]')
  WHERE (template_id IS NULL OR template_id = new.template_id)
    AND (provider_instance IS NULL OR provider_instance = new.reserves ->> '$.parts[0][0]')
    AND (market IS NULL OR new.reserves ->> '$.parts[0][1]' IN (market, 'any'))
    AND (tags IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(tags) w WHERE NOT EXISTS (
      SELECT 1 FROM json_each(new.reserves, '$.tags') h WHERE h.key = w.key AND h.atom = w.atom)));`;

/**
 * What requests reserve, and its sums for each scope that a budget has asked for. Triggers keep the sums, so that they
 * change with the rows in one statement; a scope without a row is summed up when it is first asked for. What requests
 * of earlier versions hold counts as machines without a known price until their next change.
 */
export const budgets = `
ALTER TABLE request ADD COLUMN reserves TEXT;
UPDATE request SET doc = json_set(doc, '$.reserves', r.reserves), reserves = r.reserves FROM (
  SELECT request_id AS id, json_object('parts', json_array(json_array(provider_instance, 'any', holds, 0, 0, holds, holds))) AS reserves
  FROM request WHERE holds > 0 AND kind = 'provision') AS r WHERE request_id = r.id;

CREATE INDEX machine_gone ON machine (gone_at, provider_instance, machine_id) WHERE gone_at IS NOT NULL;

CREATE TABLE budget (
  scope TEXT NOT NULL PRIMARY KEY, template_id TEXT, provider_instance TEXT, market TEXT, tags TEXT,
  machines INTEGER NOT NULL, vcpus INTEGER NOT NULL, microusd INTEGER NOT NULL, unsized INTEGER NOT NULL, unpriced INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER request_reserved AFTER INSERT ON request WHEN json_array_length(new.reserves, '$.parts') = 1 BEGIN${countingOne}
END;
CREATE TRIGGER request_reserved_parts AFTER INSERT ON request WHEN json_array_length(new.reserves, '$.parts') > 1 BEGIN${counting('new', '+')}
END;
CREATE TRIGGER request_reserves AFTER UPDATE OF reserves, template_id ON request
  WHEN old.reserves IS NOT new.reserves OR old.template_id IS NOT new.template_id BEGIN${counting('old', '-')}${counting('new', '+')}
END;
CREATE TRIGGER request_freed AFTER DELETE ON request WHEN old.reserves IS NOT NULL BEGIN${counting('old', '-')}
END;
`;
