/** Values: the template, how many more, the most. The refusal names how many are held. */
export const withinLimit = (schema: string): string => `SELECT ${schema}.refuse(held::text)
  FROM (SELECT coalesce(sum(holds), 0) AS held FROM ${schema}.request WHERE template_id = $1 AND holds > 0) AS present
  WHERE held + $2::bigint > $3::bigint`;

/**
 * Values, as lists: topic, name and item of facts, the names of their numbers, the expected numbers, and the positions
 * of the checks. The refusal names the position.
 */
export const withNumbers = (schema: string): string => `SELECT ${schema}.refuse(position::text)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::numeric[], $6::int[]) AS e(topic, name, item, field, number, position)
  LEFT JOIN ${schema}.fact AS f ON f.topic = e.topic AND f.name = e.name AND f.item = e.item
  WHERE e.number <> coalesce((f.doc::jsonb -> 'value' ->> e.field)::numeric, 0)`;

/** The number of requests with an active attempt at an instance, and whether this request is one of them. */
export const openRequests = (
  schema: string,
): string => `SELECT count(DISTINCT request_id) AS n, coalesce(bool_or(request_id = $2), false) AS own
  FROM ${schema}.attempt WHERE active = 1 AND provider_instance = $1`;

/**
 * The requests that were accepted earlier, wait for the instance and have not ended. No more than the free slots are
 * counted, so that a long queue is not read to its end.
 */
export const olderWaiters = (schema: string, free: string): string => `SELECT 1 FROM ${schema}.request AS r
  WHERE r.waits_for = $1 AND (r.created_at, r.request_id) < ((SELECT created_at FROM ${schema}.request WHERE request_id = $2), $2)
    AND r.status IN ('pending', 'in_progress')
    AND NOT EXISTS (SELECT FROM ${schema}.attempt AS a WHERE a.active = 1 AND a.provider_instance = $1 AND a.request_id = r.request_id)
  LIMIT ${free}`;

/**
 * Values: the instance, the request, the most. The refusal names how many are open, or is empty when the request does
 * not exist.
 */
export const withinSlots = (schema: string): string => `WITH open AS MATERIALIZED (${openRequests(schema)})
  SELECT CASE
    WHEN NOT EXISTS (SELECT FROM ${schema}.request WHERE request_id = $2) THEN ${schema}.refuse('')
    WHEN open.own THEN NULL
    WHEN open.n < $3::bigint AND (SELECT count(*) FROM (${olderWaiters(schema, 'greatest($3::bigint - open.n, 0)')}) AS older) < $3::bigint - open.n THEN NULL
    ELSE ${schema}.refuse(open.n::text) END
  FROM open`;
