import { isFault, type CheckResult, type ProviderCheck } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { contentsOf, namedTemplate } from '../template/named-template.ts';
import { cloudTemplates, counted, error, ok, unlessDenied } from './results.ts';

/** Whether the launch templates that templates name exist in the named version. */
export const launchTemplatesCheck: ProviderCheck<CloudSession> = {
  name: 'launch-templates',
  why: 'A template with launch_template_id starts nothing without that launch template and its version.',
  remedy: 'Correct launch_template_id and launch_template_version, or create the version.',
  run: (session, checked, call) =>
    unlessDenied('The launch templates', 'ec2:DescribeLaunchTemplateVersions', async () => {
      const users = cloudTemplates(checked).filter(({ launch_template_id }) => launch_template_id !== undefined);
      const wrong: CheckResult[] = [];
      for (const template of users) {
        try {
          await contentsOf(session, await namedTemplate(session, template, call), call);
        } catch (fault) {
          if (!isFault(fault) || (fault.kind !== 'invalid' && fault.kind !== 'gone')) throw fault;
          wrong.push(error(`Template '${template.template_id}': ${fault.message}`));
        }
      }
      return wrong.length > 0 || users.length === 0
        ? wrong
        : [ok(`Launch templates of ${counted(users.length, 'template')} found.`)];
    }),
};
