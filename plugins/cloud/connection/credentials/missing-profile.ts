import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ProviderFault } from '../../../../core/index.ts';
import type { CloudSettings } from '../../config.ts';

/** The most profiles that a message names. */
const mostNamed = 20;

/**
 * The fault of a profile that no file has, when that is why the SDK found no credentials. The SDK asks other sources
 * for a profile that does not exist, so this is looked at only after all have failed.
 */
export function missingProfile(error: unknown, settings: CloudSettings): ProviderFault | undefined {
  if (!(error instanceof Error) || error.name !== 'CredentialsProviderError') return undefined;
  const { access_key_id, secret_access_key, credential_script, credential_file } = settings;
  if (access_key_id !== null || secret_access_key !== null || credential_script !== null) return undefined;
  const profile = settings.profile ?? process.env['AWS_PROFILE'];
  if (!profile) return undefined;
  const aws = join(homedir(), '.aws');
  const { AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE } = process.env;
  const credentials = read(credential_file ?? AWS_SHARED_CREDENTIALS_FILE ?? join(aws, 'credentials'), sectionName);
  const config = read(AWS_CONFIG_FILE ?? join(aws, 'config'), profileName);
  const names = [...new Set([...credentials.names, ...config.names])].toSorted();
  if (names.includes(profile)) return undefined;
  const shown = names.slice(0, mostNamed).map((name) => `'${name}'`);
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  const there = names.length === 0 ? 'They have no profiles.' : `There are: ${shown.join(', ')}${more}.`;
  const variable = settings.profile === null ? ' of AWS_PROFILE' : '';
  return new ProviderFault(
    'credentials',
    `The profile '${profile}'${variable} does not exist in ${credentials.about} or in ${config.about}. ${there}`,
    { code: error.name, cause: error },
  );
}

interface ProfileFile {
  /** The path, for a message. */
  readonly about: string;
  readonly names: readonly string[];
}

function read(file: string, nameOf: (section: string) => string | undefined): ProfileFile {
  const path = file.startsWith('~/') ? join(homedir(), file.slice(2)) : file;
  try {
    const sections = readFileSync(path, 'utf8').matchAll(/^\s*\[\s*([^\]\r\n]+?)\s*\]/gm);
    return { about: path, names: [...sections].flatMap(([, section = '']) => nameOf(section) ?? []) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { about: `${path} (${code === 'ENOENT' ? 'no such file' : `cannot be read: ${code}`})`, names: [] };
  }
}

/** The credentials file has a section of the name, the configuration file one of `profile` and the name. */
const sectionName = (section: string): string => section;
const profileName = (section: string): string | undefined =>
  section === 'default' ? section : /^profile\s+(["']?)(.+)\1$/.exec(section)?.[2];
