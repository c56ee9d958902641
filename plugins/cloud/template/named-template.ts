import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call } from '../../../core/index.ts';
import type { CloudTemplate } from './fields.ts';
import type { TemplateVersion } from '../launch/launch-template.ts';
import { type Memo, once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';

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
  const found = await version(session, named, requestedVersion, call);
  if (!found?.LaunchTemplateId || found.VersionNumber === undefined) {
    throw new ProviderFault('invalid', `Launch template '${id}' has no version '${requestedVersion}'.`);
  }
  return { id: found.LaunchTemplateId, version: String(found.VersionNumber), owner: 'foreign' };
}

const contentsMemo = sessionField((): Memo<RequestLaunchTemplateData> => new Map());

/** The contents of a version, in the form of an input. They never change, and are read once. */
export function contentsOf(
  session: CloudSession,
  { id, version: number }: TemplateVersion,
  call: Call,
): Promise<RequestLaunchTemplateData> {
  return once(contentsMemo(session), `${id} ${number}`, async () => {
    const found = await version(session, { LaunchTemplateId: id }, number, call);
    return (found?.LaunchTemplateData ?? {}) as RequestLaunchTemplateData;
  });
}

async function version(
  session: CloudSession,
  named: { LaunchTemplateId?: string; LaunchTemplateName?: string },
  requestedVersion: string,
  call: Call,
) {
  const { LaunchTemplateVersions } = await session
    .read((ec2) => new ec2.DescribeLaunchTemplateVersionsCommand({ ...named, Versions: [requestedVersion] }), call)
    .catch((error: unknown) => {
      if (!isFault(error) || error.kind !== 'gone') throw error;
      // A launch template that the configuration names will not appear by itself.
      throw new ProviderFault('invalid', error.message, { code: error.code, cause: error.cause });
    });
  return LaunchTemplateVersions?.[0];
}
