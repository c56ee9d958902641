import { sums } from './0003-budgets.ts';

/**
 * The sums over the parts of rows of requests, by scope. `rows`: a relation with `template_id`, `reserves` and `n`, how
 * often the row counts. Rows that reserve the same are parsed once: most requests that are accepted together do.
 */
export const summed = (schema: string, rows: string): string => `SELECT b.scope, ${sums
  .map((name, i) => `sum(r.n * (p.part ->> ${i + 2})::bigint)::bigint AS ${name}`)
  .join(', ')}
    FROM (SELECT template_id, reserves::jsonb AS reserved, sum(n) AS n FROM ${rows} AS each_row
        WHERE reserves IS NOT NULL GROUP BY template_id, reserves) AS r,
      jsonb_array_elements(r.reserved -> 'parts') AS p(part), ${schema}.budget AS b
    WHERE (b.template_id IS NULL OR b.template_id = r.template_id)
      AND (b.provider_instance IS NULL OR b.provider_instance = p.part ->> 0)
      AND (b.market IS NULL OR p.part ->> 1 IN (b.market, 'any'))
      AND (b.tags IS NULL OR coalesce(p.part -> 7, r.reserved -> 'tags', '{}') @> b.tags::jsonb)
    GROUP BY b.scope`;

const added = (schema: string, rows: string): string =>
  `UPDATE ${schema}.budget AS b SET ${sums.map((name) => `${name} = b.${name} + d.${name}`).join(', ')}
    FROM (${summed(schema, rows)}) AS d WHERE b.scope = d.scope`;

/** What all requests reserve in the scope of the row that is about to be added. */
const learned = (schema: string): string => `SELECT ${sums
  .map((_, i) => `coalesce(sum((p.part ->> ${i + 2})::bigint), 0)`)
  .join(', ')} INTO ${sums.map((name) => `new.${name}`).join(', ')}
    FROM ${schema}.request AS r, jsonb_array_elements(r.reserves::jsonb -> 'parts') AS p(part)
    WHERE r.reserves IS NOT NULL AND (new.template_id IS NULL OR new.template_id = r.template_id)
      AND (new.provider_instance IS NULL OR new.provider_instance = p.part ->> 0)
      AND (new.market IS NULL OR p.part ->> 1 IN (new.market, 'any'))
      AND (new.tags IS NULL OR coalesce(p.part -> 7, r.reserves::jsonb -> 'tags', '{}') @> new.tags::jsonb)`;

/**
 * The machines of a request may have other tags at some places: the parts of its reservation have their own. The
 * functions are replaced, and the sum of a new scope is made here, so that an older muster beside this one, which does
 * not know these tags, has the same sums.
 */
export const tagsByPlace = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.reserve_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${added(schema, '(SELECT template_id, reserves, 1 AS n FROM added)')};
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION ${schema}.reserve_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN
    ${added(schema, '(SELECT old.template_id, old.reserves, -1 AS n)')};
  ELSE
    ${added(schema, '(SELECT old.template_id, old.reserves, -1 AS n UNION ALL SELECT new.template_id, new.reserves, 1)')};
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION ${schema}.learn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${learned(schema)};
  RETURN NEW;
END $$;
CREATE TRIGGER learned BEFORE INSERT ON ${schema}.budget FOR EACH ROW EXECUTE FUNCTION ${schema}.learn();
`;
