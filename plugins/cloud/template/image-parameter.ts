import { isFault, ProviderFault, type Call } from '../../../core/index.ts';
import { type Memo, once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';

/** How long the value of a parameter is reused. */
const valueValidMs = 60_000;
const scheme = 'resolve:ssm:';
const imageForm = /^ami-[0-9a-f]{8}(?:[0-9a-f]{9})?$/;
const gone: ReadonlySet<string> = new Set(['ParameterNotFound', 'ParameterVersionNotFound']);

/**
 * Whether an image is given by a parameter of Systems Manager that contains its id: `resolve:ssm:NAME`, with
 * `:VERSION` or `:LABEL`, or a bare `/path`.
 */
export const isParameter = (image: string): boolean => image.startsWith(scheme) || image.startsWith('/');

interface ParameterValue {
  readonly image: string;
  readonly at: number;
}

const imagesByParameter = sessionField((): Memo<ParameterValue> => new Map());

/**
 * The id of an image. The value of a parameter may change, so it is read during the preparation of an order, and the
 * order stores the id. A parameter that does not exist or contains no image id is a fault `invalid` that names the
 * parameter. No message contains the value: see `redacted`.
 */
export async function imageIdOf(session: CloudSession, image: string, call: Call): Promise<string> {
  if (!isParameter(image)) return image;
  const name = image.startsWith(scheme) ? image.slice(scheme.length) : image;
  const images = imagesByParameter(session);
  const known = images.get(name);
  if (known !== undefined && 'at' in known && session.clock.monotonic() - known.at >= valueValidMs)
    images.delete(name);
  const parameter = await once(images, name, async (): Promise<ParameterValue> => {
    const at = session.clock.monotonic();
    return { image: await ask(session, name, call), at };
  });
  return parameter.image;
}

/** The parameters of a launch or launch template, with the image id instead of the name of a parameter. */
export async function withImageId<P extends Readonly<Record<string, unknown>>>(
  session: CloudSession,
  params: P,
  call: Call,
): Promise<P> {
  const image = params['ImageId'];
  return typeof image === 'string' && isParameter(image)
    ? { ...params, ImageId: await imageIdOf(session, image, call) }
    : params;
}

async function ask(session: CloudSession, name: string, call: Call): Promise<string> {
  const invalidParameter = (reason: string, code?: string) => {
    const message = `The parameter '${name}', which names the image, ${reason}`;
    return new ProviderFault(
      'invalid',
      code === undefined ? message : `${message} Error Code: ${code}`,
      code === undefined ? {} : { code },
    );
  };
  const answer = await session.parameters
    .read((ssm) => new ssm.GetParameterCommand({ Name: name }), call)
    .catch((error: unknown) => {
      if (isFault(error) && gone.has(error.code)) throw invalidParameter('does not exist.', error.code);
      // The missing permission for one parameter proves nothing about the credentials as a whole.
      if (isFault(error) && error.code === 'AccessDeniedException')
        throw invalidParameter(`may not be read. ${error.message.replace(/ Error Code: \S+$/, '')}`, error.code);
      throw error;
    });
  const value = answer.Parameter?.Value?.trim() ?? '';
  // The value may be a secret: no message contains it.
  if (!imageForm.test(value)) throw invalidParameter('contains no image id.');
  session.parameterValues.set(value, name);
  return value;
}
