import { BrokerError, quoted, shapes, transferred, type Finding, type StorageCheck } from '../../../core/index.ts';
import { targetOf } from '../connections/client-config.ts';
import { Connection } from '../connections/connection.ts';
import type { Row } from '../connections/statement.ts';
import { refusal } from '../database/failures.ts';
import { schemaVersion } from '../database/schema-version.ts';
import { newest } from '../migrations/index.ts';
import type { PostgresOptions } from '../options.ts';
import { marksOf } from '../transfer/marks.ts';
import { createIsObject, invariants } from './invariants.ts';

/** The most records that are named for each kind of finding. */
const maxReported = 20;
/** The longest query. */
const maxMs = 600_000;

/**
 * Checks whether the records of a schema are consistent. It reads one snapshot, changes nothing and blocks no other
 * connection. Damage of the files is PostgreSQL's to find (`pg_amcheck`, checksums).
 */
export async function checkDatabase(options: PostgresOptions): Promise<StorageCheck> {
  const began = performance.now();
  const { config, place } = await targetOf(options);
  const connection = await Connection.open(config, { silentMs: maxMs });
  const schema = quoted(options.schema);
  const ask = async (text: string): Promise<readonly Row[]> => (await connection.run([{ text }]))[0] ?? [];
  try {
    const version = await schemaVersion(connection.run.bind(connection), options.schema, place);
    if (version === 0) throw new BrokerError('FILE_NOT_FOUND', `There are no tables of muster in ${place}.`);
    await ask('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await ask(`SET LOCAL statement_timeout = ${maxMs}`);
    const isOld = Number((await ask("SELECT current_setting('server_version_num')::bigint"))[0]?.[0]) < 160_000;
    if (isOld) await ask(createIsObject);
    await ask('SET TRANSACTION READ ONLY');
    const findings: Finding[] = [...transferred(await marksOf(connection.run.bind(connection), options.schema))];
    const records: Record<string, number> = {};
    // The records of another version are checked by the muster of that version.
    if (version === newest) {
      for (const { kind } of Object.values(shapes))
        records[kind] = Number((await ask(`SELECT count(*) FROM ${schema}.${quoted(kind)}`))[0]?.[0]);
      for (const { level, broken, sql } of invariants(
        schema,
        isOld ? 'pg_temp.is_object(doc)' : 'doc IS JSON OBJECT',
      )) {
        const found = (await ask(`${sql} LIMIT ${maxReported + 1}`)).map(([pointer]) => String(pointer));
        findings.push(...found.slice(0, maxReported).map((path): Finding => ({ level, path, message: broken })));
        if (found.length > maxReported) findings.push({ level, path: '', message: `and more: ${broken}` });
      }
    } else {
      const message = `its schema is version ${version}, this muster has ${newest}; only the version was checked`;
      findings.push({ level: 'warning', path: '', message });
    }
    const [size] = await ask(
      `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = '${options.schema}' AND c.relkind = 'r'`,
    );
    return {
      valid: !findings.some(({ level }) => level === 'error'),
      path: place,
      size_bytes: Number(size?.[0]),
      log_bytes: 0,
      schema_version: version,
      took_ms: Math.round(performance.now() - began),
      records,
      findings,
    };
  } catch (error) {
    throw refusal(error, place);
  } finally {
    await connection.close();
  }
}
