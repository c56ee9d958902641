import type { Action } from '../../dispatch/action.ts';
import { once } from '../../launch/once.ts';
import { findTemplate, findVersion } from '../../launch/specification/template-data.ts';
import { text } from '../../wire/form.ts';
import { templateXml } from '../../wire/xml/template-xml.ts';
import { node } from '../../wire/xml/xml.ts';

/** Sets the default version. */
export const modifyLaunchTemplate: Action = {
  name: 'ModifyLaunchTemplate',
  mutating: true,
  handle(call) {
    const { state, params } = call;
    const template = findTemplate(call, params);
    const wanted = text(params, 'SetDefaultVersion');
    const version = wanted === undefined ? undefined : findVersion(call, template, wanted);
    once(call, { maxLength: 128, pinFailures: false }, () => {
      if (version !== undefined) template.defaultVersion = version.number;
      call.touched.push(template.id);
    });
    return node('launchTemplate', templateXml(template, state.account));
  },
};
