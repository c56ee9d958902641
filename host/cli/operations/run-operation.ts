import type { RequestAnswer } from '../../../core/contract/answers.ts';
import { interruption } from '../../process/interruption.ts';
import { dataDirectoryOf } from '../../client/data-directory-of.ts';
import { mayBeSentAgain } from '../../client/may-be-sent-again.ts';
import { openClient, purposeOf, type Opened, type ClientFlags } from '../../client/open-client.ts';
import type { OperationClient } from '../../client/server-client.ts';
import { reportServer } from '../../client/report-server.ts';
import { printableLine } from '../../process/printable.ts';
import type { Terminal } from '../../process/terminal.ts';
import type { CommandForm } from '../command-forms.ts';
import type { DeclaredOperation } from './declared-operations.ts';
import { exitCodes } from '../exit-codes.ts';
import { hasEnded, outcomeOf } from '../outcome.ts';
import { print, textOf, type Form } from '../output/print.ts';
import { printEndedLately } from './ended-lately.ts';
import { requestsIn, waitForRequests, type WaitingFor } from './wait-for-requests.ts';
import { withWait } from './with-wait.ts';

/** The options of every operation command. */
export interface RunFlags extends ClientFlags {
  readonly output: Form;
  readonly wait?: boolean;
  readonly waitTimeout?: number;
  readonly watch?: boolean;
  readonly interval?: number;
}

export interface Call {
  readonly operation: DeclaredOperation;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Executes the calls of one operation and prints the answers. Returns the exit code. */
export async function runOperation(
  calls: readonly Call[],
  form: CommandForm,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  const [{ operation, input } = { operation: form.operation, input: {} }] = calls;
  const watches = form.watches || flags.watch === true;
  // The storage may appear while the command watches, so it is opened for writing.
  const purpose = watches && purposeOf(operation) === 'read' ? 'write' : purposeOf(operation);
  let opened = await openClient(flags, purpose, terminal);
  const retry = async (call: Call, error: unknown): Promise<unknown> => {
    // The server ended between the lookup and the call, for example for a restart.
    if (flags.url !== undefined || !mayBeSentAgain(call.operation, error)) throw error;
    await opened.client.close();
    opened = await openClient(flags, purpose, terminal);
    return opened.client.call(call.operation.name, call.input);
  };
  try {
    if (watches) return await watchOperation(opened, { operation, input }, flags, terminal);
    const answers: unknown[] = [];
    for (const call of calls)
      answers.push(
        await opened.client.call(call.operation.name, call.input).catch((error: unknown) => retry(call, error)),
      );
    const answer = answers.length === 1 ? answers[0] : answers;
    if (operation.leaves_work) return await processResult(opened, { operation, input }, answer, flags, terminal);
    const shown = calls.length < 2 ? await withWait(opened.client, operation.name, answer) : answer;
    const code = await printed(operation, input, shown, flags, terminal);
    if (flags.output === 'table' && calls.length < 2)
      await printEndedLately(opened.client, operation.name, input, answer, terminal);
    return code;
  } finally {
    await opened.client.close();
  }
}

async function printed(
  { name }: DeclaredOperation,
  input: Call['input'],
  answer: unknown,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  if (name === 'get_configuration' && input['key'] !== undefined && isNothing(answer)) {
    terminal.err(`muster: the configuration has nothing at '${String(input['key'])}'.\n`);
    return exitCodes.not_found;
  }
  await print(name, answer, flags.output, terminal, input);
  if (name === 'check_provider') return checked(answer as Checked, terminal);
  const checks = [answer].flat() as readonly { readonly valid?: boolean }[];
  return checks.some(({ valid }) => valid === false) ? exitCodes.refused : exitCodes.done;
}

interface Checked {
  readonly name: string;
  readonly answered: boolean;
  readonly fault?: { readonly message: string };
}

/** The exit code of a check. The reason of a failure goes to standard error, also where the answer is a table. */
function checked({ name, answered, fault }: Checked, terminal: Terminal): number {
  if (answered) return exitCodes.done;
  const why = printableLine(fault?.message ?? 'no reason is known');
  terminal.err(`muster: provider instance '${name}' does not answer: ${why}\n`);
  return exitCodes.unreachable;
}

const isNothing = (answer: unknown): boolean =>
  Object.keys((answer as { readonly origins: object }).origins).length === 0;

/**
 * Completes an operation that leaves work: starts a server for it, or waits in this process until the requests have
 * ended.
 */
async function processResult(
  opened: Opened,
  { operation, input }: Call,
  answer: unknown,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  const cancels = operation.name === 'cancel_request' || input['status'] === 'cancelled';
  const awaited = requestsIn(answer, cancels);
  const waits = flags.wait === true || opened.reconciles === true;
  if (!waits) await print(operation.name, answer, flags.output, terminal);
  const client = await clientOfServer(opened, flags, terminal, awaited);
  try {
    if (!waits) {
      if (terminal.outIsScreen && awaited.request_ids[0])
        terminal.err(`Watch it with: muster requests watch ${awaited.request_ids[0]}\n`);
      return exitCodes.done;
    }
    const data_directory = opened.reconciles ? { data_directory: dataDirectoryOf(flags.config) } : {};
    return await waited(client, operation, answer, { ...awaited, ...data_directory }, flags, terminal);
  } finally {
    if (client !== opened.client) await client.close();
  }
}

/**
 * Returns the client for further calls, of a started server if necessary. When no server can be started, the stored
 * requests remain: the message contains their ids.
 */
async function clientOfServer(
  { client, unserved }: Opened,
  flags: RunFlags,
  terminal: Terminal,
  { request_ids }: WaitingFor,
): Promise<OperationClient> {
  if (!unserved) return client;
  const { ensureServer } = await import('../../client/ensure-server.ts');
  try {
    const place = await ensureServer(unserved.loaded.configuration, flags.config);
    if (!place) return client;
    reportServer(place, terminal);
    return (await openClient(flags, 'write', terminal)).client;
  } catch (error) {
    terminal.err(`muster: ${request_ids.join(', ') || 'the request'} is stored, but no server processes it:\n`);
    throw error;
  }
}

interface Waiting extends WaitingFor {
  /** The data directory when this process runs the reconciler. */
  readonly data_directory?: string;
}

async function waited(
  client: OperationClient,
  { name }: DeclaredOperation,
  answer: unknown,
  { data_directory, ...awaited }: Waiting,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  using stop = interruption();
  const seconds = flags.waitTimeout === undefined ? {} : { seconds: flags.waitTimeout };
  try {
    const { requests, code } = await waitForRequests(client, awaited, terminal, { ...seconds, signal: stop.signal });
    const single = requests.length === 1 && 'status' in (answer as object);
    if (single) await print('sync_and_get_request', requests[0], flags.output, terminal);
    else await print(name, { ...(answer as object), requests }, flags.output, terminal);
    const [first] = requests;
    if (code !== exitCodes.done && first && terminal.outIsScreen)
      terminal.err(`Why: muster requests explain ${first.request_id}\n`);
    return code;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const ids = awaited.request_ids.join(' ');
    if (data_directory === undefined)
      terminal.err(`muster: stopped waiting; watch it with: muster requests watch ${ids}\n`);
    else terminal.err(`muster: stopped processing; the next server on ${data_directory} continues ${ids}\n`);
    return exitCodes.interrupted;
  }
}

const defaultInterval = 2;

async function watchOperation(
  { client, without_server }: Opened,
  { operation, input }: Call,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  using stop = interruption();
  const { polled, watch } = await import('./watching/watch.ts');
  const isRequest = operation.name === 'sync_and_get_request';
  if (without_server !== undefined)
    terminal.err(
      `No server runs on ${without_server}; unless another process runs the reconciler, nothing changes before \`muster server start\`.\n`,
    );
  const look = () => client.call(operation.name, input, stop.signal);
  // A server sends what changes; the operator who names an interval wants that one.
  const isSent = isRequest && client.open !== undefined && flags.interval === undefined;
  const reconnect = async () => (await openClient(flags, 'write', terminal)).client;
  const answers: AsyncIterable<unknown> = isSent
    ? (await import('./watching/status-changes.ts')).statusChanges(client, input, stop.signal, reconnect)
    : polled(look, flags.interval ?? defaultInterval, stop.signal);
  const last = await watch(
    {
      answers,
      text: (answer) => textOf(operation.name, answer, flags.output, terminal, { each: true, input }),
      hasEnded: (answer) => isRequest && hasEnded(answer as RequestAnswer),
      signal: stop.signal,
    },
    terminal,
  );
  return isRequest && last !== undefined && hasEnded(last as RequestAnswer)
    ? outcomeOf(last as RequestAnswer)
    : exitCodes.done;
}
