import { sums } from './0003-budgets.ts';
import { keepingSums } from './0004-equal-reservations.ts';

/** The tags of a part: its own, else the usual ones of its request. For `summed`. */
export const tagsOfPart = "p.part -> 7, r.reserved -> 'tags'";

/** What all requests reserve in the scope of the row that is about to be added. */
const learned = (schema: string): string => `SELECT ${sums
  .map((_, i) => `coalesce(sum((p.part ->> ${i + 2})::bigint), 0)`)
  .join(', ')} INTO ${sums.map((name) => `new.${name}`).join(', ')}
    FROM ${schema}.request AS r, jsonb_array_elements(r.reserves::jsonb -> 'parts') AS p(part)
    WHERE r.reserves IS NOT NULL AND (new.template_id IS NULL OR new.template_id = r.template_id)
      AND (new.provider_instance IS NULL OR new.provider_instance = p.part ->> 0)
      AND (new.market IS NULL OR p.part ->> 1 IN (new.market, 'any'))
      AND (new.tags IS NULL OR coalesce(p.part -> 7, r.reserves::jsonb -> 'tags', '{}') @> new.tags::jsonb)`;

const learning = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.learn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${learned(schema)};
  RETURN NEW;
END $$;
CREATE TRIGGER learned BEFORE INSERT ON ${schema}.budget FOR EACH ROW EXECUTE FUNCTION ${schema}.learn();
`;

/**
 * The machines of a request may have other tags at some places: the parts of its reservation have their own. The
 * functions are replaced, and the sum of a new scope is made here, so that an older muster beside this one, which does
 * not know these tags, has the same sums.
 */
export const tagsByPlace = (schema: string): string => keepingSums(schema, tagsOfPart) + learning(schema);
