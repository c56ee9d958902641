import { isFault, ProviderFault, type Call } from '../../../core/index.ts';
import { type Learned, once } from '../connection/once.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';

/** So long a parameter is taken to hold what it held. */
const freshMs = 60_000;
const scheme = 'resolve:ssm:';
const imageForm = /^ami-[0-9a-f]{8}(?:[0-9a-f]{9})?$/;
const gone: ReadonlySet<string> = new Set(['ParameterNotFound', 'ParameterVersionNotFound']);

/**
 * Whether an image is named by the parameter of Systems Manager that holds its id: `resolve:ssm:NAME`, with `:VERSION`
 * or `:LABEL`, or a bare `/path`.
 */
export const isParameter = (image: string): boolean => image.startsWith(scheme) || image.startsWith('/');

interface Held {
  readonly image: string;
  readonly at: number;
}

const imagesByParameter = sessionField((): Learned<Held> => new Map());

/**
 * The id of an image. A parameter may hold another tomorrow, so it is asked while an order is prepared, and the order
 * keeps the answer. One that does not exist, or holds no image, is a fault `invalid` that names it. What it holds is
 * never told: see `concealed`. /
 */
export async function imageIdOf(session: CloudSession, image: string, call: Call): Promise<string> {
  if (!isParameter(image)) return image;
  const name = image.startsWith(scheme) ? image.slice(scheme.length) : image;
  const images = imagesByParameter(session);
  const known = images.get(name);
  if (known !== undefined && 'at' in known && session.clock.monotonic() - known.at >= freshMs) images.delete(name);
  const held = await once(images, name, async (): Promise<Held> => {
    const at = session.clock.monotonic();
    return { image: await ask(session, name, call), at };
  });
  return held.image;
}

/** Parameters of a launch, or of a launch template, with the id of the image in place of a parameter's name. */
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
  const wrong = (reason: string, code?: string) => {
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
      if (isFault(error) && gone.has(error.code)) throw wrong('does not exist.', error.code);
      // That one parameter may not be read says nothing about the rest of what the credentials are for.
      if (isFault(error) && error.code === 'AccessDeniedException')
        throw wrong(`may not be read. ${error.message.replace(/ Error Code: \S+$/, '')}`, error.code);
      throw error;
    });
  const value = answer.Parameter?.Value?.trim() ?? '';
  // What it holds instead may be a secret: nobody is told.
  if (!imageForm.test(value)) throw wrong('holds no image id.');
  session.parameterValues.set(value, name);
  return value;
}
