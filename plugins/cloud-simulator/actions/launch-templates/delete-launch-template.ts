import type { Action } from '../../dispatch/action.ts';
import { findTemplate } from '../../launch/specification/template-data.ts';
import { templateXml } from '../../wire/xml/template-xml.ts';
import { node } from '../../wire/xml/xml.ts';
import { endDryRun } from '../../dispatch/dry-run.ts';

/** Deletes a template and all its versions. Machines and instant fleets created from it do not change. */
export const deleteLaunchTemplate: Action = {
  name: 'DeleteLaunchTemplate',
  mutating: true,
  handle(call) {
    const template = findTemplate(call, call.params);
    endDryRun(call);
    call.state.templates.remove(template);
    call.touched.push(template.id);
    return node('launchTemplate', templateXml(template, call.state.account));
  },
};
