import type { LaunchTemplate, LaunchTemplateVersion } from '@aws-sdk/client-ec2';
import { isFault, type Call, type ProviderFault } from '../../../core/index.ts';
import { pagesOf } from '../connection/answers/pages.ts';
import type { CloudSession } from '../connection/session.ts';

const missing: ReadonlySet<string> = new Set([
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'InvalidLaunchTemplateId.VersionNotFound',
]);

/** Whether a fault reports that a launch template or a version does not exist. */
export const isTemplateMissing = ({ code, message }: ProviderFault): boolean =>
  missing.has(code) || (code === 'ValidationError' && missingForGroup.test(message));

/** Auto Scaling has one code for all errors of parameters. */
const missingForGroup = /launch template.*(could not find the specified version|does not exist)/is;

/** The result of `ask`; undefined when there is no such launch template. */
export async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isFault(error) && isTemplateMissing(error)) return undefined;
    throw error;
  }
}

export async function templateNamed(
  session: CloudSession,
  name: string,
  call: Call,
): Promise<LaunchTemplate | undefined> {
  const answer = await unlessMissing(() =>
    session.read((ec2) => new ec2.DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [name] }), call),
  );
  return answer?.LaunchTemplates?.[0];
}

/** Launch templates with all these tags, the newest first. */
export async function templatesTagged(
  session: CloudSession,
  tags: Readonly<Record<string, string>>,
  call: Call,
): Promise<readonly LaunchTemplate[]> {
  const Filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
  const found: LaunchTemplate[] = [];
  for await (const page of pagesOf((next) =>
    session.read((ec2) => new ec2.DescribeLaunchTemplatesCommand({ Filters, MaxResults: 200, ...next }), call),
  ))
    found.push(...(page.LaunchTemplates ?? []));
  return found.toSorted((a, b) => (b.CreateTime?.getTime() ?? 0) - (a.CreateTime?.getTime() ?? 0));
}

/** A version without its contents. */
export interface VersionSummary {
  readonly number: number;
  readonly description?: string;
  readonly is_default: boolean;
  readonly created_at?: string;
}

/**
 * All versions of a launch template, the oldest first. `only`, such as `$Latest`, selects one. Empty when there is no
 * such launch template.
 */
export async function versionsOf(
  session: CloudSession,
  id: string,
  call: Call,
  only?: string,
): Promise<readonly VersionSummary[]> {
  const which = only === undefined ? { MaxResults: 200 } : { Versions: [only] };
  const found = await unlessMissing(async () => {
    const all: VersionSummary[] = [];
    for await (const page of pagesOf((next) =>
      session.read(
        (ec2) => new ec2.DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: id, ...which, ...next }),
        call,
      ),
    ))
      all.push(...(page.LaunchTemplateVersions ?? []).flatMap((each) => summaryOf(each) ?? []));
    return all;
  });
  return (found ?? []).toSorted((a, b) => a.number - b.number);
}

function summaryOf({
  VersionNumber,
  VersionDescription,
  DefaultVersion,
  CreateTime,
}: LaunchTemplateVersion): VersionSummary | undefined {
  if (VersionNumber === undefined) return undefined;
  return {
    number: VersionNumber,
    ...(VersionDescription === undefined ? {} : { description: VersionDescription }),
    is_default: DefaultVersion === true,
    ...(CreateTime === undefined ? {} : { created_at: CreateTime.toISOString() }),
  };
}
