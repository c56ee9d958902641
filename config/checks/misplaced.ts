import type { Finding } from '../../core/contract/findings.ts';

/**
 * Settings that do not belong into a configuration file, by JSON pointer in canonical spelling, and the place where
 * they belong.
 */
const elsewhere: Readonly<Record<string, string>> = {
  '/data_directory':
    'the environment variable MUSTER_DATA_DIR sets the data directory. Its default is `data` beside this file',
  '/data_dir':
    'the environment variable MUSTER_DATA_DIR sets the data directory. Its default is `data` beside this file',
};

/** Returns the findings; a finding about an unknown field that belongs elsewhere names that place. */
export const withPlaces = (findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => {
    const place = elsewhere[finding.path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
    return place !== undefined && finding.message.startsWith('unknown field')
      ? { ...finding, message: `unknown field; ${place}` }
      : finding;
  });
