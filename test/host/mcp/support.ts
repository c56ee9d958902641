import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { makePlace, until, type Place, type PlaceOptions } from '../../support/boot-broker.ts';

export const launcher = join(import.meta.dirname, '../../../host/bin/muster');

/** A place whose servers take any free port, also those that are started in the background. */
export const makeMcpPlace = (options: PlaceOptions = {}): Promise<Place> =>
  makePlace({
    ...options,
    configuration: { server: { port: 0, rate_limit: { enabled: false } }, ...options.configuration },
  });

export const dataOf = (place: Place): string => join(place.directory, 'data');

/** An agent's side of a connection. */
export interface Agent {
  readonly client: Client;
  /** The envelope of a call. The library has checked it against the tool's schema, if tools were listed before. */
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<any>;
  /** Asks for machines and waits for them; what it is then. */
  machines(template_id: string, machine_count: number): Promise<any>;
  /** Waits until a request has ended. */
  ended(request_id: string): Promise<any>;
}

export function agentOf(client: Client): Agent {
  const call: Agent['call'] = async (name, given = {}) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...given } });
    const [{ text }] = content as [{ text: string }];
    if (JSON.stringify(structuredContent) !== text) throw new Error(`The text is not what is structured: ${text}`);
    if ((isError === true) !== 'error' in (structuredContent as object))
      throw new Error(`isError is ${isError}: ${text}`);
    return structuredContent;
  };
  const ended: Agent['ended'] = (request_id) =>
    until(async () => {
      const { data } = await call('sync_and_get_request', { request_id, long: true });
      return ['completed', 'failed', 'cancelled'].includes(data.status) && data;
    });
  return {
    client,
    call,
    ended,
    async machines(template_id, machine_count) {
      const { data } = await call('create_request', { template_id, machine_count });
      return ended(data.request_id);
    },
  };
}

/** `muster mcp serve` as an agent starts it. */
export async function overStdio(
  place: Place,
  args: readonly string[] = [],
): Promise<Agent & { readonly stderr: () => string }> {
  const transport = new StdioClientTransport({
    command: launcher,
    args: ['mcp', 'serve', ...args],
    cwd: place.directory,
    env: environment(),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return { ...agentOf(client), stderr: () => stderr };
}

/** A client of streamable HTTP. */
export async function overHttp(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Parameters<Client['connect']>[0],
  );
  return agentOf(client);
}

export interface Serving {
  readonly url: string;
  /** Ends it as a supervisor does; its exit code. */
  stop(): Promise<number | null>;
}

/** `muster mcp serve --http` on a free port. */
export async function serveHttp(place: Place, args: readonly string[] = []): Promise<Serving> {
  const child = spawn(launcher, ['mcp', 'serve', '--http', '--port', '0', ...args], {
    cwd: place.directory,
    env: environment(),
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  const url = await until(async () => {
    if (child.exitCode !== null) throw new Error(out);
    return /serves agents at (\S+)/.exec(out)?.[1];
  });
  return {
    url,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `muster …` with this on its input, to the end. */
export function run(place: Place, args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(launcher, args, { cwd: place.directory, env: environment() });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  child.stdin.end(input);
  return new Promise((resolve) => void child.once('close', (code) => resolve({ code, ...output })));
}

/** Kills the server that was started in the background, as a crash would. */
export async function killServer(place: Place): Promise<void> {
  const pid = readServerPlace(dataOf(place))?.pid;
  if (pid === undefined || !isAlive(pid)) return;
  process.kill(pid, 'SIGKILL');
  await until(async () => !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // What has ended is listed until its parent takes notice.
    return !/^\S+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function environment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '', HOME = '', TMPDIR } = process.env;
  return { PATH, NODE_COMPILE_CACHE, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}
