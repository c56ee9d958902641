import { added } from './0004-equal-reservations.ts';
import { tagsOfPart } from './0005-tags-by-place.ts';

/**
 * A statement that inserts requests adds nothing up while no budget has asked for a sum. No scope is added meanwhile:
 * groups that change requests lock the scopes before. They do so with one statement now, a function whose second query
 * sees what was committed before its first one ended.
 */
export const locksAtOnce = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.reserve_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM ${schema}.budget) THEN
    ${added(schema, '(SELECT template_id, reserves, 1 AS n FROM added)', tagsOfPart)};
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION ${schema}.lock_budgets(number bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$ BEGIN
  PERFORM pg_advisory_xact_lock_shared(number);
  PERFORM FROM ${schema}.budget ORDER BY scope FOR UPDATE;
END $$;
`;
