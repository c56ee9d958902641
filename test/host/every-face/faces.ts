import type { AddressInfo } from 'node:net';
import type { Code } from '../../../core/contract/errors.ts';
import type { Operation, RestBinding } from '../../../core/operations/operation.ts';
import { camelCase } from '../../../core/schema/spelling.ts';
import { connect, createBroker, SDKError, type BrokerClient } from '../../../host/sdk/index.ts';
import type { BootedBroker } from '../../support/boot-broker.ts';
import { runCli } from '../../support/run-cli.ts';
import { overHttp } from '../mcp/support.ts';

export type Fields = Readonly<Record<string, any>>;

/** What a face answered, in words that all faces share. */
export interface Told {
  readonly answer?: any;
  /** Why it refused, and by what it says so: a code, an HTTP status, an exit code. */
  readonly refused?: Refused;
}

export interface Refused {
  readonly message: string;
  readonly code?: Code;
  readonly status?: number;
  readonly exit?: number;
}

/** One way to call an operation. */
export interface Face {
  readonly name: string;
  has(operation: Operation<any, any>): boolean;
  call(operation: Operation<any, any>, input: Fields, cli?: readonly string[]): Promise<Told>;
}

/** Every face of one broker, which answers HTTP, and of its place. */
export async function everyFace({
  app,
  place,
}: BootedBroker): Promise<{ readonly faces: readonly Face[]; close(): Promise<void> }> {
  await app.listen({ port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const remote = await connect({ url });
  const local = await createBroker({ cwd: place.directory, env: {}, loop: 'none' });
  const agent = await overHttp(`${url}/mcp`);
  // From here on the client holds every answer against the schema of its tool.
  await agent.client.listTools();
  const faces: readonly Face[] = [
    { name: 'SDK at a server', has: all, call: ({ name }, input) => viaSdk(remote, name, input) },
    {
      name: 'SDK at a server, in camelCase',
      has: all,
      call: ({ name }, input) => viaSdk(remote, camelCase(name), inCamelCase(input)),
    },
    // It has no loop: the broker under test has it.
    {
      name: 'SDK in this process',
      has: ({ needs_loop }) => !needs_loop,
      call: ({ name }, input) => viaSdk(local, name, input),
    },
    {
      name: 'MCP',
      has: all,
      async call({ name }, input) {
        const { data, error, tool } = await agent.call(name, input);
        if ((tool ?? error.tool) !== name) throw new Error(`${name} was answered as ${tool ?? error.tool}.`);
        return error ? { refused: { code: error.code, message: error.message } } : { answer: data };
      },
    },
    {
      name: 'command line',
      has: ({ cli }) => cli !== undefined,
      call: (operation, input, args) => viaCli(operation, input, url, args),
    },
    ...[0, 1].map((route) => ({
      name: `REST, route ${route + 1}`,
      has: (operation: Operation<any, any>) => routesOf(operation)[route] !== undefined,
      call: (operation: Operation<any, any>, input: Fields) =>
        viaRest(routesOf(operation)[route] as RestBinding, input, url),
    })),
  ];
  return {
    faces,
    async close() {
      await Promise.all([remote.close(), local.close(), agent.client.close()]);
    },
  };
}

const all = () => true;
const routesOf = ({ rest = [] }: Operation<any, any>): readonly RestBinding[] => [rest].flat();

const inCamelCase = (input: Fields): Fields =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [camelCase(name), value]));

async function viaSdk(client: BrokerClient, method: string, input: Fields): Promise<Told> {
  try {
    return { answer: await (client as any)[method](input) };
  } catch (error) {
    if (!(error instanceof SDKError)) throw error;
    return { refused: { code: error.code, message: error.message } };
  }
}

/** As the declaration says: arguments by their place, everything else as options. */
async function viaCli(
  { cli, input: schema }: Operation<any, any>,
  input: Fields,
  url: string,
  given?: readonly string[],
): Promise<Told> {
  const { command = '', args = [] } = cli ?? {};
  const options = Object.entries(input)
    .filter(([name]) => !args.includes(name))
    .flatMap(([name, value]) => optionOf(name, value, (schema.properties as Fields)[name]));
  const words = given ?? [...args.flatMap((name) => input[name] ?? []).map(String), ...options];
  const { code, out, err } = await runCli([...command.split(' '), ...words, '--url', url, '--output', 'json']);
  if (out === '') return { refused: { exit: code, message: err.replace(/^muster: /, '').trimEnd() } };
  const answer = JSON.parse(out) as Fields;
  const expected = answer['valid'] === false ? 4 : 0;
  if (code !== expected) throw new Error(`${command} ended with ${code}: ${out}${err}`);
  return { answer };
}

function optionOf(name: string, value: unknown, { default: fallback }: Fields = {}): string[] {
  const option = name.replaceAll('_', '-');
  if (typeof value === 'boolean')
    return value === (fallback ?? false) ? [] : [value ? `--${option}` : `--no-${option}`];
  return [`--${option}`, typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

/**
 * As the declaration says: what stands in the path, and the rest as query or body, without what the route leaves out.
 */
async function viaRest(rest: RestBinding, input: Fields, url: string): Promise<Told> {
  const { method, omit = [], preset = {}, status = 200, errors = 'detail' } = rest;
  const path = rest.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const left = Object.entries(input).filter(
    ([name]) => !omit.includes(name) && !(name in preset) && !rest.path.includes(`{${name}}`),
  );
  const hasBody = method === 'POST' || method === 'PUT';
  const query =
    hasBody || left.length === 0
      ? ''
      : `?${new URLSearchParams(left.map(([name, value]): [string, string] => [name, String(value)]))}`;
  const answer = await fetch(`${url}/api/v1${path}${query}`, {
    method,
    ...(hasBody
      ? { body: JSON.stringify(Object.fromEntries(left)), headers: { 'content-type': 'application/json' } }
      : {}),
  });
  const body = (await answer.json()) as Fields;
  if (answer.status === status) return { answer: body };
  const refused =
    errors === 'error'
      ? { code: body['error'].code, message: body['error'].message }
      : { code: body['code'], message: body['detail'] };
  return { refused: { ...refused, status: answer.status } };
}
