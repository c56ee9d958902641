import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import { redacted } from '../faults/redacted.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagSpecifications, tagValue, type Tag } from '../template/tags.ts';
import { digest } from './contents.ts';
import { templateNamed } from './describe-templates.ts';
import { mayBePropagating } from './missing.ts';

/** Tags of the launch templates of muster, in addition to those of their owner. */
export const templateTags = {
  /** Hash of the contents. */
  content: 'muster:content',
  /** The template whose orders use the launch template. */
  template: 'muster:template',
  /** What the versions are: `contents` that orders share, or versions of `orders`. */
  holds: 'muster:holds',
} as const;

export interface NewTemplate {
  readonly name: string;
  readonly data: RequestLaunchTemplateData;
  /** The description of version 1. */
  readonly description: string;
  readonly tags: readonly Tag[];
}

export interface Made {
  readonly id: string;
  /** Whether it was created now, with the given contents as version 1. Otherwise it existed. */
  readonly made: boolean;
}

/**
 * Creates a launch template. An existing one with this name and the same tags of muster is used unchanged: the name
 * stands for the contents.
 */
export async function makeTemplate(
  session: CloudSession,
  { name, data, description, tags }: NewTemplate,
  { token }: Pick<LaunchOrder, 'token'>,
  call: Call,
): Promise<Made> {
  const existing = await templateNamed(session, name, call);
  if (existing) return { id: checked(existing, name, tags), made: false };
  try {
    const { LaunchTemplate, Warning } = await session.write(
      (ec2) =>
        new ec2.CreateLaunchTemplateCommand({
          LaunchTemplateName: name,
          LaunchTemplateData: data,
          VersionDescription: description,
          // The token contains the name and the order, so that the token of an earlier order cannot bring back a
          // deleted launch template of the same name.
          ClientToken: digest(`${name} ${token}`),
          TagSpecifications: tagSpecifications(['launch-template'], tags) as any,
        }),
      call,
    );
    warn(session, Warning, name, call);
    const id = LaunchTemplate?.LaunchTemplateId;
    if (!id) throw new ProviderFault('unavailable', `CreateLaunchTemplate returned no id for '${name}'.`);
    // Starts the time in which EC2 may not show it.
    mayBePropagating(session, { id, version: '1' });
    return { id, made: true };
  } catch (error) {
    if (!isFault(error) || error.code !== 'InvalidLaunchTemplateName.AlreadyExistsException') throw error;
    const made = await templateNamed(session, name, call);
    if (made) return { id: checked(made, name, tags), made: false };
    throw new ProviderFault('unavailable', `Launch template '${name}' exists, but EC2 does not show it yet.`, {
      code: error.code,
    });
  }
}

/** How long a repeated call for a new version has the same token. */
const versionTokenMs = 60_000;

/**
 * Adds a version and returns its number. A repeated call for the order returns the same version for a minute; later
 * the version is found by its description. Not longer, because EC2 may keep the token of a call that did not see the
 * new launch template. Two equal versions do no harm.
 */
export async function makeVersion(
  session: CloudSession,
  {
    id,
    data,
    description,
  }: { readonly id: string; readonly data: RequestLaunchTemplateData; readonly description: string },
  { token }: Pick<LaunchOrder, 'token'>,
  call: Call,
): Promise<number> {
  const { LaunchTemplateVersion, Warning } = await session.write(
    (ec2) =>
      new ec2.CreateLaunchTemplateVersionCommand({
        LaunchTemplateId: id,
        LaunchTemplateData: data,
        VersionDescription: description,
        ClientToken: digest(`${id} ${description} ${token} ${Math.floor(session.clock.now() / versionTokenMs)}`),
      }),
    call,
  );
  warn(session, Warning, id, call);
  const number = LaunchTemplateVersion?.VersionNumber;
  if (number === undefined)
    throw new ProviderFault('unavailable', `CreateLaunchTemplateVersion returned no number for '${id}'.`);
  mayBePropagating(session, { id, version: String(number) });
  return number;
}

interface TemplateWarning {
  readonly Errors?:
    | readonly { readonly Code?: string | undefined; readonly Message?: string | undefined }[]
    | undefined;
}

function warn(
  { parameterValues }: CloudSession,
  warning: TemplateWarning | undefined,
  launch_template: string,
  call: Call,
): void {
  for (const { Code, Message } of warning?.Errors ?? [])
    call.log.warn(
      { code: Code, launch_template },
      redacted(Message ?? 'EC2 returned a warning for a launch template.', parameterValues),
    );
}

const comparedTags: readonly string[] = [...Object.values(ownTags), ...Object.values(templateTags)];

function checked(
  found: { LaunchTemplateId?: string | undefined; Tags?: any },
  name: string,
  tags: readonly Tag[],
): string {
  const same = tags.every(({ Key, Value }) => !comparedTags.includes(Key) || tagValue(found.Tags, Key) === Value);
  if (found.LaunchTemplateId && same) return found.LaunchTemplateId;
  throw new ProviderFault(
    'invalid',
    `Launch template '${name}' was not created by muster, or was changed. Delete it.`,
  );
}
