import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import { ownTemplate, ownVersion } from '../launch-templates/own.ts';
import { sharedContents } from '../launch-templates/shared.ts';
import type { TemplateVersion } from '../launch-templates/template-version.ts';
import type { CloudSession } from '../connection/session.ts';

export { dropLaunchTemplate } from '../launch-templates/clean-up/drop.ts';
export { launchTemplatesOf, removeLaunchTemplates } from '../launch-templates/clean-up/left-behind.ts';
export { isTemplateMissing } from '../launch-templates/describe-templates.ts';
export { templateFault } from '../launch-templates/missing.ts';
export type { TemplateVersion } from '../launch-templates/template-version.ts';

/**
 * The launch template for an order: shared contents, or contents of the order alone, as `owner` or the configuration
 * requires. Names and contents are derived from the order, so that the same order always gets the same version, also
 * after a crash between creation and storage, and in every process.
 */
export async function launchTemplateFor(
  session: CloudSession,
  order: LaunchOrder<any, any>,
  data: RequestLaunchTemplateData,
  call: Call,
  owner: 'order' | 'shared' = session.settings.launch_template.reuse_existing ? 'shared' : 'order',
): Promise<TemplateVersion> {
  const own = session.settings.launch_template.create_per_request ? ownTemplate : ownVersion;
  try {
    return await (owner === 'shared' ? sharedContents : own)(session, order, data, call);
  } catch (error) {
    // No machine is launched yet, and a retry finds what was created or creates what is gone: no outcome is unknown or
    // final here.
    if (isFault(error) && (error.kind === 'unknown-outcome' || error.kind === 'gone')) {
      throw new ProviderFault('unavailable', error.message, { code: error.code, cause: error.cause });
    }
    throw error;
  }
}
