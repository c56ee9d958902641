import { isError, sentence, type Finding } from '../../../core/contract/findings.ts';
import type { HostCheck } from '../report.ts';

/** Whether the configuration is valid. */
export const configurationCheck: HostCheck<{
  readonly file: string | undefined;
  readonly findings: readonly Finding[];
}> = {
  name: 'configuration',
  why: 'No server starts with a configuration that has errors.',
  remedy: 'Correct the file; muster config validate checks it alone.',
  run({ file, findings }) {
    if (findings.length > 0)
      return findings.map((each) => ({
        level: isError(each) ? ('error' as const) : ('warning' as const),
        message: sentence(each),
      }));
    return file === undefined
      ? [
          {
            level: 'warning',
            message: 'There is no configuration: a server runs on samples and the simulated cloud.',
            remedy: 'Run muster init.',
          },
        ]
      : [{ level: 'ok', message: `${file} is valid.` }];
  },
};
