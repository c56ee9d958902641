import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call } from '../../../core/index.ts';
import type { CloudTemplate } from './fields.ts';
import type { TemplateVersion } from '../launch/launch-template.ts';
import type { CloudSession } from '../connection/session.ts';

/** The launch template that a template names, with its version resolved to a number. */
export async function namedTemplate(
  session: CloudSession,
  template: CloudTemplate,
  call: Call,
): Promise<TemplateVersion> {
  const id = template.launch_template_id ?? '';
  const requestedVersion = String(template.launch_template_version ?? '$Default');
  const named = id.startsWith('lt-') ? { LaunchTemplateId: id } : { LaunchTemplateName: id };
  if (/^\d+$/.test(requestedVersion) && named.LaunchTemplateId)
    return { id, version: requestedVersion, owner: 'foreign' };
  const found = await version(session, named, requestedVersion, call).catch((error: unknown) => {
    if (!isFault(error) || error.kind !== 'gone') throw error;
    // A launch template that the configuration names will not appear by itself.
    throw new ProviderFault('invalid', error.message, { code: error.code, cause: error.cause });
  });
  if (!found?.LaunchTemplateId || found.VersionNumber === undefined) {
    throw new ProviderFault('invalid', `Launch template '${id}' has no version '${requestedVersion}'.`);
  }
  return { id: found.LaunchTemplateId, version: String(found.VersionNumber), owner: 'foreign' };
}

/** The contents of a version, in the form of an input. */
export async function contentsOf(
  session: CloudSession,
  used: TemplateVersion,
  call: Call,
): Promise<RequestLaunchTemplateData> {
  const found = await version(session, { LaunchTemplateId: used.id }, used.version, call);
  return (found?.LaunchTemplateData ?? {}) as RequestLaunchTemplateData;
}

async function version(
  session: CloudSession,
  named: { LaunchTemplateId?: string; LaunchTemplateName?: string },
  requestedVersion: string,
  call: Call,
) {
  const { LaunchTemplateVersions } = await session.read(
    (ec2) => new ec2.DescribeLaunchTemplateVersionsCommand({ ...named, Versions: [requestedVersion] }),
    call,
  );
  return LaunchTemplateVersions?.[0];
}
