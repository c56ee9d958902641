import { createHash } from 'node:crypto';
import type { Statement } from './statement.ts';

/** Names of prepared statements by their text. */
const names = new Map<string, string>();
/** The most prepared statements. A text beyond them is prepared each time. */
const maxNames = 500;

/** The server does not know a name, or knows it already: a pooler gave this connection to another client meanwhile. */
const confused = new Set(['26000', '42P05']);
/** Whether statements have no names, because a pooler exchanges the connections behind them. */
let isPooled = false;

/**
 * The name under which a statement with values is prepared, or undefined when it is prepared each time. It is that of
 * its text, in all processes: behind a pooler, one may find what another prepared.
 */
export function preparedName({ text, values }: Statement): string | undefined {
  if (isPooled || !values) return undefined;
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `muster_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  names.set(text, name);
  return name;
}

/** From the first answer on that shows a pooler, no statement has a name. */
export function forgetNamesBehindPooler(state: string | undefined): void {
  if (state !== undefined && confused.has(state)) isPooled = true;
}
