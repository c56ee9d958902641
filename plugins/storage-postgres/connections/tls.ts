import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { BrokerError } from '../../../core/index.ts';
import type { PostgresOptions } from '../options.ts';
import { text } from '../database/failures.ts';

type Ssl = NonNullable<ClientConfig['ssl']>;

/** The files of an encrypted connection, with the setting that names each. */
interface Files {
  readonly [part: string]: { readonly file: string; readonly setting: string };
}

/** A URL without its settings of TLS, and how to encrypt. */
export interface EncryptedUrl {
  readonly url?: string;
  readonly ssl: Ssl;
}

const knownModes = ['disable', 'no-verify', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** Values of the older parameter `ssl`. */
const switches = ['true', 'false', '1', '0'];

/**
 * How to encrypt: as `storage.tls` says, else the URL (`sslmode`, `sslrootcert`, `sslcert`, `sslkey`), else the
 * variables PGSSLMODE and so on. Every mode but `disable` and `no-verify` checks the certificate and the name of the
 * server.
 */
export async function encryption(
  url: string | undefined,
  tls: PostgresOptions['tls'],
  env: NodeJS.ProcessEnv = process.env,
): Promise<EncryptedUrl> {
  const [address = '', query = ''] = splitOnce(url ?? '', '?');
  const parameters = new URLSearchParams(query);
  const taken = (name: string): string | undefined => {
    const value = parameters.get(name) ?? undefined;
    parameters.delete(name);
    return value;
  };
  const [mode, old, , ca, cert, key] = ['sslmode', 'ssl', 'uselibpqcompat', 'sslrootcert', 'sslcert', 'sslkey'].map(
    taken,
  );
  const rest = parameters.size > 0 ? `?${parameters}` : '';
  const given = url === undefined ? {} : { url: query === '' ? url : `${address}${rest}` };
  if (tls)
    return {
      ...given,
      ssl: await encrypted(
        tls.verify,
        filesOf('storage.tls.', { ca_file: tls.ca_file, cert_file: tls.cert_file, key_file: tls.key_file }),
      ),
    };
  const wanted = mode ?? old ?? env['PGSSLMODE'];
  if (wanted !== undefined && ![...knownModes, ...switches, ''].includes(wanted))
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      `The sslmode '${wanted}' is unknown. Known are ${knownModes.join(', ')}.`,
    );
  const files = filesOf('', {
    sslrootcert: ca ?? env['PGSSLROOTCERT'],
    sslcert: cert ?? env['PGSSLCERT'],
    sslkey: key ?? env['PGSSLKEY'],
  });
  const isOff = wanted === undefined ? files['ca'] === undefined : ['disable', 'false', '0'].includes(wanted);
  return { ...given, ssl: isOff ? false : await encrypted(wanted !== 'no-verify', files) };
}

async function encrypted(verify: boolean, files: Files): Promise<Ssl> {
  const read = await Promise.all(
    Object.entries(files).map(async ([part, { file, setting }]) => {
      const content = await readFile(file, 'utf8').catch((error: unknown) => {
        throw new BrokerError(
          'INVALID_CONFIGURATION',
          `'${setting}' cannot be read: ${text(error)}.`,
          {},
          { cause: error },
        );
      });
      return [part, content] as const;
    }),
  );
  return { rejectUnauthorized: verify, ...Object.fromEntries(read) };
}

/** The named files by their part: `ca`, `cert` or `key`. `system` stands for the authorities of Node. */
function filesOf(prefix: string, names: Readonly<Record<string, string | undefined>>): Files {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, file]) =>
      file === undefined || file === '' || file === 'system'
        ? []
        : [[/ca|root/.test(name) ? 'ca' : /key/.test(name) ? 'key' : 'cert', { file, setting: `${prefix}${name}` }]],
    ),
  );
}

function splitOnce(text: string, at: string): readonly string[] {
  const place = text.indexOf(at);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}
