import type { Action } from '../../dispatch/action.ts';
import { createLaunchTemplateVersion } from './create-launch-template-version.ts';
import { createLaunchTemplate } from './create-launch-template.ts';
import { deleteLaunchTemplateVersions } from './delete-launch-template-versions.ts';
import { deleteLaunchTemplate } from './delete-launch-template.ts';
import { describeLaunchTemplateVersions } from './describe-launch-template-versions.ts';
import { describeLaunchTemplates } from './describe-launch-templates.ts';
import { modifyLaunchTemplate } from './modify-launch-template.ts';

export const launchTemplatesActions: readonly Action[] = [
  createLaunchTemplateVersion,
  createLaunchTemplate,
  deleteLaunchTemplateVersions,
  deleteLaunchTemplate,
  describeLaunchTemplateVersions,
  describeLaunchTemplates,
  modifyLaunchTemplate,
];
