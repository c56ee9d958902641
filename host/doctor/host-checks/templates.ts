import { join } from 'node:path';
import { isError, sentence, type Finding } from '../../../core/contract/findings.ts';
import type { HostCheck } from '../report.ts';

/** Whether there are templates, and each can be served by an instance. */
export const templatesCheck: HostCheck<{
  readonly directory: string;
  readonly findings: readonly Finding[];
  readonly template_ids: readonly string[];
  /** Templates that no enabled instance serves. */
  readonly unserved: readonly string[];
}> = {
  name: 'templates',
  why: 'A request names a template, and the template decides which machines it gets.',
  remedy: 'Correct the template files; muster templates validate shows what is wrong with one.',
  run({ directory, findings, template_ids, unserved }) {
    const found = findings.map((each) => ({
      level: isError(each) ? ('error' as const) : ('warning' as const),
      message: sentence(each),
    }));
    const none = unserved.map((id) => ({
      level: 'warning' as const,
      message: `No enabled provider instance serves template '${id}'.`,
      remedy: 'Correct its provider_name, provider_type or provider_api, or enable an instance.',
    }));
    if (template_ids.length === 0)
      return [
        ...found,
        {
          level: 'error',
          message: `There are no templates in ${directory}.`,
          remedy: `Write ${join(directory, 'templates.yaml')}, or run muster init.`,
        },
      ];
    const wrong = [...found, ...none];
    return wrong.length > 0 ? wrong : [{ level: 'ok', message: `${template_ids.length} templates in ${directory}.` }];
  },
};
