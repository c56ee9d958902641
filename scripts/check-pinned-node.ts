/**
 * Compares the Node that npm installs with muster with the checked-in figures, `scripts/pinned-node.json`:
 *
 * - what the lock file names, and the executable that is installed here;
 * - with `--packages`, the packages for every platform: their sum is the lock file's, their executable that of the
 *   figures;
 * - with `--archives`, the figures against the Node project's own: its SHASUMS256.txt, and the executables in the
 *   archives that it publishes. If nodejs.org cannot be reached, this is reported as not checked, and is no failure.
 *
 * Ends with 1 if anything differs. /
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { figures, installedAt, lockedPackage, wantedPackages, type Figures } from './pinned-node.ts';

/** The findings, a sentence each. */
interface Found {
  readonly same: string[];
  readonly different: string[];
  readonly unchecked: string[];
}

export async function sumOf(
  stream: Readable,
  algorithm = 'sha256',
  encoding: 'hex' | 'base64' = 'hex',
): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(stream, hash);
  return hash.digest(encoding);
}

/** The lock file and what is installed; `at` says where a package lies. */
export async function checkInstalled(
  { version, packages }: Figures,
  at: (name: string) => string = installedAt,
): Promise<Found> {
  const found: Found = { same: [], different: [], unchecked: [] };
  const names = Object.keys(packages).toSorted();
  if (names.join() !== wantedPackages().join())
    found.different.push(
      `The figures are of ${names.join(', ')}, and package.json wants ${wantedPackages().join(', ')}.`,
    );
  for (const name of names) {
    const { executable, sha256 } = packages[name] as Figures['packages'][string];
    const locked = lockedPackage(name).version;
    if (locked !== version)
      found.different.push(`${name}: the figures are of ${version}, the lock file names ${locked ?? 'none'}.`);
    const file = join(at(name), executable);
    if (!existsSync(file)) found.unchecked.push(`${name}: it is not installed here.`);
    else compare(found, `${name} as it is installed`, await sumOf(createReadStream(file)), sha256);
  }
  return found;
}

/** The packages as the registry gives them. */
async function checkPackages({ version, packages }: Figures, directory: string): Promise<Found> {
  const found: Found = { same: [], different: [], unchecked: [] };
  for (const [name, { executable, sha256 }] of Object.entries(packages)) {
    execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', directory], {
      cwd: directory,
      stdio: 'pipe',
    });
    const file = join(directory, `${name}-${version}.tgz`);
    const sum = `sha512-${await sumOf(createReadStream(file), 'sha512', 'base64')}`;
    compare(found, `${name}, the package`, sum, lockedPackage(name).integrity ?? 'none');
    compare(found, `${name}, its executable`, await sumInArchive(file, `package/${executable}`), sha256);
    rmSync(file);
  }
  return found;
}

/** The figures against what the Node project publishes. */
export async function checkPublished({ version, published_at, packages }: Figures, directory: string): Promise<Found> {
  const found: Found = { same: [], different: [], unchecked: [] };
  let sums: string;
  try {
    sums = await (await fetched(published_at)).text();
  } catch (error) {
    found.unchecked.push(
      `${published_at} cannot be had (${reason(error)}): that the figures are the Node project's was not checked.`,
    );
    return found;
  }
  for (const [name, { sha256, published }] of Object.entries(packages)) {
    const line = sums.split('\n').find((each) => each.endsWith(`  ${published.name}`));
    compare(found, `${name}: ${published.name} in SHASUMS256.txt`, line?.split(' ')[0] ?? 'none', published.sha256);
    if (published.sha256 === sha256) continue;
    const archive = join(directory, published.name);
    const { body } = await fetched(new URL(published.name, published_at).href);
    await pipeline(body as unknown as Readable, createWriteStream(archive));
    compare(found, `${name}: ${published.name}`, await sumOf(createReadStream(archive)), published.sha256);
    const inside = `node-v${version}-${name.replace('node-', '')}/bin/node`;
    compare(found, `${name}: the executable in it`, await sumInArchive(archive, inside), sha256);
    rmSync(archive);
  }
  return found;
}

async function fetched(url: string): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(600_000) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response;
}

function reason(error: unknown): string {
  const { message, cause } = error as { readonly message: string; readonly cause?: { readonly code?: string } };
  return cause?.code ?? message;
}

/** Unpacks one file into its sum only. */
async function sumInArchive(archive: string, member: string): Promise<string> {
  const tar = spawn('tar', ['-xOf', archive, member], { stdio: ['ignore', 'pipe', 'ignore'] });
  return sumOf(tar.stdout);
}

function compare({ same, different }: Found, what: string, is: string, wanted: string): void {
  if (is === wanted) same.push(`${what}: ${is}`);
  else different.push(`${what} is ${is}, and should be ${wanted}.`);
}

if (import.meta.main) {
  const directory = mkdtempSync(join(tmpdir(), 'muster-node-'));
  try {
    const wanted = figures();
    const all = [await checkInstalled(wanted)];
    if (process.argv.includes('--packages')) all.push(await checkPackages(wanted, directory));
    if (process.argv.includes('--archives')) all.push(await checkPublished(wanted, directory));
    for (const [word, sentences] of [
      ['same', all.flatMap(({ same }) => same)],
      ['not checked', all.flatMap(({ unchecked }) => unchecked)],
      ['DIFFERENT', all.flatMap(({ different }) => different)],
    ] as const)
      for (const each of sentences) console.log(`${word}: ${each}`);
    if (all.some(({ different }) => different.length > 0)) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
