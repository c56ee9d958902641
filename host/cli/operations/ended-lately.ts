import type { RequestListAnswer } from '../../../core/contract/answers.ts';
import type { Static } from 'typebox';
import type { OperationClient } from '../../client/server-client.ts';
import type { Terminal } from '../../process/terminal.ts';
import { isUsualList } from '../output/empty-list.ts';
import { textOf } from '../output/print.ts';

const listing = 'list_active_requests';
const shown = 5;

/**
 * Prints the requests that ended last below an empty table of active ones: who looks for a request that has just ended
 * finds it at once. Prints nothing for other lists, and for pages and filters.
 */
export async function printEndedLately(
  client: OperationClient,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  answer: unknown,
  terminal: Terminal,
): Promise<void> {
  if (operation !== listing || !isUsualList(operation, input)) return;
  const { total_count } = answer as Static<typeof RequestListAnswer>;
  if (total_count > 0) return;
  const ended = await client.call(listing, { all_resources: true, sort: 'completed_at:desc', limit: shown });
  if ((ended as Static<typeof RequestListAnswer>).requests.length === 0) return;
  terminal.out(`\nEnded lately:\n${await textOf(listing, ended, 'table', terminal)}`);
}
