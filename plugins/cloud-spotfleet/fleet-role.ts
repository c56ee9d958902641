import type { Call } from '../../core/index.ts';
import type { CloudSession } from '../cloud/index.ts';

/** The ARN of a role that is named by its name or its ARN. A service-linked role lives under the path of its service. */
export async function roleArn(session: CloudSession, role: string, call: Call): Promise<string> {
  if (role.startsWith('arn:')) return role;
  const { region } = session.settings;
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  const path = role.startsWith('AWSServiceRole') ? 'aws-service-role/spotfleet.amazonaws.com/' : '';
  return `arn:${partition}:iam::${await session.account(call)}:role/${path}${role}`;
}
