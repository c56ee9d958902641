import { sums } from './0003-budgets.ts';

/**
 * The sums over the parts of rows of requests, by scope. `rows`: a relation with `template_id`, `reserves` and `n`, how
 * often the row counts; `tags`: the expressions for the tags of a part, the first one that it has counts. Rows that
 * reserve the same are parsed once: most requests that are accepted together do.
 */
export const summed = (schema: string, rows: string, tags: string): string => `SELECT b.scope, ${sums
  .map((name, i) => `sum(r.n * (p.part ->> ${i + 2})::bigint)::bigint AS ${name}`)
  .join(', ')}
    FROM (SELECT template_id, reserves::jsonb AS reserved, sum(n) AS n FROM ${rows} AS each_row
        WHERE reserves IS NOT NULL GROUP BY template_id, reserves) AS r,
      jsonb_array_elements(r.reserved -> 'parts') AS p(part), ${schema}.budget AS b
    WHERE (b.template_id IS NULL OR b.template_id = r.template_id)
      AND (b.provider_instance IS NULL OR b.provider_instance = p.part ->> 0)
      AND (b.market IS NULL OR p.part ->> 1 IN (b.market, 'any'))
      AND (b.tags IS NULL OR coalesce(${tags}, '{}') @> b.tags::jsonb)
    GROUP BY b.scope`;

/** The statement that adds them to the sums. */
export const added = (schema: string, rows: string, tags: string): string =>
  `UPDATE ${schema}.budget AS b SET ${sums.map((name) => `${name} = b.${name} + d.${name}`).join(', ')}
    FROM (${summed(schema, rows, tags)}) AS d WHERE b.scope = d.scope`;

/** The triggers that keep the sums of budgets write each sum once for a statement that inserts, or for a changed row. */
export const equalReservations = (schema: string): string => keepingSums(schema, "r.reserved -> 'tags'");

/** The functions of the triggers. `tags`: as for `summed`. */
export const keepingSums = (schema: string, tags: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.reserve_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${added(schema, '(SELECT template_id, reserves, 1 AS n FROM added)', tags)};
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION ${schema}.reserve_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN
    ${added(schema, '(SELECT old.template_id, old.reserves, -1 AS n)', tags)};
  ELSE
    ${added(schema, '(SELECT old.template_id, old.reserves, -1 AS n UNION ALL SELECT new.template_id, new.reserves, 1)', tags)};
  END IF;
  RETURN NULL;
END $$;
`;
