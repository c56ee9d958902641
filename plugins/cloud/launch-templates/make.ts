import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { isFault, ProviderFault, type Call, type LaunchOrder } from '../../../core/index.ts';
import { concealed } from '../faults/concealed.ts';
import type { CloudSession } from '../connection/session.ts';
import { ownTags, tagSpecifications, tagValue, type Tag } from '../template/tags.ts';
import { digest } from './contents.ts';
import { templateNamed } from './look.ts';
import { isYoung } from './missing.ts';

/** What our launch templates say of themselves beside whose they are. */
export const templateTags = {
  /** Hash of what it was made of. */
  content: 'muster:content',
  /** The template whose orders it is for. */
  template: 'muster:template',
  /** What its versions are: `contents` that orders share, or the versions of `orders`. */
  holds: 'muster:holds',
} as const;

export interface NewTemplate {
  readonly name: string;
  readonly data: RequestLaunchTemplateData;
  /** Of version 1. */
  readonly description: string;
  readonly tags: readonly Tag[];
}

export interface Made {
  readonly id: string;
  /** With the contents that were given, at version 1; else it was there already. */
  readonly made: boolean;
}

/**
 * Makes a launch template; one of the name that carries the same tags of ours is taken as it is. The name stands for
 * all of it.
 */
export async function makeTemplate(
  session: CloudSession,
  { name, data, description, tags }: NewTemplate,
  { token }: Pick<LaunchOrder, 'token'>,
  call: Call,
): Promise<Made> {
  const there = await templateNamed(session, name, call);
  if (there) return { id: checked(there, name, tags), made: false };
  try {
    const { LaunchTemplate, Warning } = await session.write(
      (ec2) =>
        new ec2.CreateLaunchTemplateCommand({
          LaunchTemplateName: name,
          LaunchTemplateData: data,
          VersionDescription: description,
          // One of the same name that was deleted must not come back from the token of an order before.
          ClientToken: digest(`${name} ${token}`),
          TagSpecifications: tagSpecifications(['launch-template'], tags) as any,
        }),
      call,
    );
    warn(session, Warning, name, call);
    const id = LaunchTemplate?.LaunchTemplateId;
    if (!id) throw new ProviderFault('unavailable', `CreateLaunchTemplate gave no id for '${name}'.`);
    // From now on it may be called young.
    isYoung(session, { id, version: '1' });
    return { id, made: true };
  } catch (error) {
    if (!isFault(error) || error.code !== 'InvalidLaunchTemplateName.AlreadyExistsException') throw error;
    const made = await templateNamed(session, name, call);
    if (made) return { id: checked(made, name, tags), made: false };
    throw new ProviderFault('unavailable', `Launch template '${name}' exists, but is not shown yet.`, {
      code: error.code,
    });
  }
}

/**
 * Adds a version and gives its number. The token is that of the order: whoever repeats it for the order gets the same
 * version.
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
        ClientToken: digest(`${id} ${description} ${token}`),
      }),
    call,
  );
  warn(session, Warning, id, call);
  const number = LaunchTemplateVersion?.VersionNumber;
  if (number === undefined)
    throw new ProviderFault('unavailable', `CreateLaunchTemplateVersion gave no number for '${id}'.`);
  isYoung(session, { id, version: String(number) });
  return number;
}

interface Doubts {
  readonly Errors?:
    | readonly { readonly Code?: string | undefined; readonly Message?: string | undefined }[]
    | undefined;
}

function warn(
  { parameterValues }: CloudSession,
  doubts: Doubts | undefined,
  launch_template: string,
  call: Call,
): void {
  for (const { Code, Message } of doubts?.Errors ?? [])
    call.log.warn(
      { code: Code, launch_template },
      concealed(Message ?? 'The cloud doubts a launch template.', parameterValues),
    );
}

const told: readonly string[] = [...Object.values(ownTags), ...Object.values(templateTags)];

function checked(
  found: { LaunchTemplateId?: string | undefined; Tags?: any },
  name: string,
  tags: readonly Tag[],
): string {
  const same = tags.every(({ Key, Value }) => !told.includes(Key) || tagValue(found.Tags, Key) === Value);
  if (found.LaunchTemplateId && same) return found.LaunchTemplateId;
  throw new ProviderFault('invalid', `Launch template '${name}' was not made by muster, or was changed. Delete it.`);
}
