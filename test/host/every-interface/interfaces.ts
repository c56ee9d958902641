import type { AddressInfo } from 'node:net';
import type { Code } from '../../../core/contract/errors.ts';
import type { Operation } from '../../../core/operations/operation.ts';
import type { RestBinding } from '../../../core/contract/service/rest-binding.ts';
import { camelCase } from '../../../core/schema/spelling.ts';
import { connect, createBroker, SDKError, type BrokerClient } from '../../../host/sdk/index.ts';
import type { BootedBroker } from '../../support/boot-broker.ts';
import { runCli } from '../../support/run-cli.ts';
import { overHttp } from '../mcp/support.ts';

export type Fields = Readonly<Record<string, any>>;

/** The answer of an interface, in a form that all interfaces share. */
export interface InterfaceAnswer {
  readonly answer?: any;
  /** The refusal: its message, with the code, HTTP status or exit code that this interface has. */
  readonly refused?: Refusal;
}

export interface Refusal {
  readonly message: string;
  readonly code?: Code;
  readonly status?: number;
  readonly exit?: number;
}

/** One interface of the broker: a way to call its operations. */
export interface Interface {
  readonly name: string;
  has(operation: Operation<any, any>): boolean;
  call(operation: Operation<any, any>, input: Fields, cli?: readonly string[]): Promise<InterfaceAnswer>;
}

/** All interfaces of one broker and of its data directory. The broker starts to listen on HTTP. */
export async function everyInterface({
  app,
  place,
}: BootedBroker): Promise<{ readonly interfaces: readonly Interface[]; close(): Promise<void> }> {
  await app.listen({ port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const remote = await connect({ url });
  const local = await createBroker({ cwd: place.directory, env: {}, loop: 'none' });
  const agent = await overHttp(`${url}/mcp`);
  // From here on the client checks every answer against the schema of its tool.
  await agent.client.listTools();
  const interfaces: readonly Interface[] = [
    { name: 'SDK at a server', has: all, call: ({ name }, input) => viaSdk(remote, name, input) },
    {
      name: 'SDK at a server, in camelCase',
      has: all,
      call: ({ name }, input) => viaSdk(remote, camelCase(name), inCamelCase(input)),
    },
    // This broker has no loop: the broker under test has one.
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
    interfaces: interfaces,
    async close() {
      await Promise.all([remote.close(), local.close(), agent.client.close()]);
    },
  };
}

const all = () => true;
const routesOf = ({ rest = [] }: Operation<any, any>): readonly RestBinding[] => [rest].flat();

const inCamelCase = (input: Fields): Fields =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [camelCase(name), value]));

async function viaSdk(client: BrokerClient, method: string, input: Fields): Promise<InterfaceAnswer> {
  try {
    return { answer: await (client as any)[method](input) };
  } catch (error) {
    if (!(error instanceof SDKError)) throw error;
    return { refused: { code: error.code, message: error.message } };
  }
}

/** Calls the command of the declaration: arguments by their position, everything else as options. */
async function viaCli(
  { cli, input: schema }: Operation<any, any>,
  input: Fields,
  url: string,
  given?: readonly string[],
): Promise<InterfaceAnswer> {
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
 * Calls the route of the declaration: fields in the path, the others as query or body, without those that it omits.
 */
async function viaRest(rest: RestBinding, input: Fields, url: string): Promise<InterfaceAnswer> {
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
