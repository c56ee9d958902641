export const sums = ['machines', 'vcpus', 'microusd', 'unsized', 'unpriced'] as const;

/** The sums over the parts of rows of requests, by scope. `rows`: a relation with `template_id` and `reserves`. */
const summed = (schema: string, rows: string): string => `SELECT b.scope, ${sums
  .map((name, i) => `sum((p.part ->> ${i + 2})::bigint)::bigint AS ${name}`)
  .join(', ')}
    FROM ${schema}.budget AS b, ${rows} AS r, jsonb_array_elements(r.reserves::jsonb -> 'parts') AS p(part)
    WHERE r.reserves IS NOT NULL AND (b.template_id IS NULL OR b.template_id = r.template_id)
      AND (b.provider_instance IS NULL OR b.provider_instance = p.part ->> 0)
      AND (b.market IS NULL OR p.part ->> 1 IN (b.market, 'any'))
      AND (b.tags IS NULL OR coalesce(r.reserves::jsonb -> 'tags', '{}') @> b.tags::jsonb)
    GROUP BY b.scope`;

const added = (sign: '+' | '-', summing: string, schema: string): string =>
  `UPDATE ${schema}.budget AS b SET ${sums.map((name) => `${name} = b.${name} ${sign} d.${name}`).join(', ')}
    FROM (${summing}) AS d WHERE b.scope = d.scope`;

/**
 * What requests reserve, and its sums for each scope that a budget has asked for. Triggers keep the sums: they change
 * with the rows, in one transaction. Groups that change requests lock all rows of `budget` before, in one order. What
 * requests of earlier versions hold counts as machines without a known price until their next change. Their documents
 * get the field as text: jsonb refuses those with NUL.
 */
export const budgets = (schema: string): string => `
ALTER TABLE ${schema}.request ADD COLUMN reserves text COLLATE "C";
UPDATE ${schema}.request AS r SET reserves = n.reserves, doc = left(r.doc, -1) || ',"reserves":' || to_json(n.reserves)::text || '}'
  FROM (SELECT request_id, json_build_object('parts', json_build_array(json_build_array(provider_instance, 'any', holds, 0, 0, holds, holds)))::text AS reserves
    FROM ${schema}.request WHERE holds > 0 AND kind = 'provision') AS n WHERE n.request_id = r.request_id;

CREATE INDEX machine_gone ON ${schema}.machine (gone_at NULLS FIRST, provider_instance NULLS FIRST, machine_id NULLS FIRST) WHERE gone_at IS NOT NULL;

CREATE TABLE ${schema}.budget (
  scope text COLLATE "C" NOT NULL PRIMARY KEY, template_id text COLLATE "C", provider_instance text COLLATE "C", market text COLLATE "C", tags text,
  machines bigint NOT NULL, vcpus bigint NOT NULL, microusd bigint NOT NULL, unsized bigint NOT NULL, unpriced bigint NOT NULL
) WITH (fillfactor = 20);

CREATE FUNCTION ${schema}.reserve_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${added('+', summed(schema, 'added'), schema)};
  RETURN NULL;
END $$;
CREATE FUNCTION ${schema}.reserve_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${added('-', summed(schema, '(SELECT old.template_id, old.reserves)'), schema)};
  IF TG_OP <> 'DELETE' THEN ${added('+', summed(schema, '(SELECT new.template_id, new.reserves)'), schema)}; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER reserved AFTER INSERT ON ${schema}.request REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.reserve_new();
CREATE TRIGGER reserves AFTER UPDATE OF reserves, template_id ON ${schema}.request FOR EACH ROW
  WHEN (old.reserves IS DISTINCT FROM new.reserves OR old.template_id IS DISTINCT FROM new.template_id) EXECUTE FUNCTION ${schema}.reserve_changed();
CREATE TRIGGER freed AFTER DELETE ON ${schema}.request FOR EACH ROW WHEN (old.reserves IS NOT NULL) EXECUTE FUNCTION ${schema}.reserve_changed();
`;
