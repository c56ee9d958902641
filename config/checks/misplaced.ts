import type { Finding } from '../../core/contract/findings.ts';

/** What people write into a file and what belongs elsewhere, by its pointer in canonical spelling. */
const elsewhere: Readonly<Record<string, string>> = {
  '/data_directory': 'the data directory is named by the environment: MUSTER_DATA_DIR. Without it, it is `data` beside this file',
  '/data_dir': 'the data directory is named by the environment: MUSTER_DATA_DIR. Without it, it is `data` beside this file',
};

/** Findings of unknown fields, with the place where what they mean is said. */
export const withPlaces = (findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => {
    const place = elsewhere[finding.path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
    return place !== undefined && finding.message.startsWith('unknown field')
      ? { ...finding, message: `unknown field; ${place}` }
      : finding;
  });
