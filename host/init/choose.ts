import { BrokerError } from '../../core/contract/errors.ts';
import type { AccountContents } from '../../core/contract/provider/account-contents.ts';
import type { SetupChoice } from '../../core/contract/provider/provider-setup.ts';
import { choiceOf, nameOf, networkLine, usableNetworks, whyNoNetwork, type UsableNetwork } from './proposals.ts';
import type { Questions } from './questions.ts';

/** What the command line says of the templates. */
export interface TemplateAnswers {
  /** A network by its id or its name. */
  readonly network?: string;
  /** What `image_id` holds. */
  readonly image?: string;
  readonly key_pair?: string;
}

/** Asks which network, image and key pair the templates use. `where` names the account for messages. */
export async function askChoice(
  contents: AccountContents,
  answers: TemplateAnswers,
  questions: Questions,
  where: string,
): Promise<SetupChoice> {
  const network = await chooseNetwork(contents, answers, questions, where);
  const image = await chooseImage(contents, answers, questions);
  return choiceOf(contents, network, image, await chooseKeyPair(contents, answers, questions));
}

function chooseNetwork(
  contents: AccountContents,
  { network: wanted }: TemplateAnswers,
  questions: Questions,
  where: string,
): Promise<UsableNetwork> | UsableNetwork {
  const usable = usableNetworks(contents);
  const [first] = usable;
  if (wanted !== undefined) {
    const named = usable.find(({ network }) => network.id === wanted || network.name === wanted);
    if (named) return named;
    const known = contents.networks.find(({ id, name }) => id === wanted || name === wanted);
    const all = contents.networks.map(nameOf).join(', ') || 'none';
    throw new BrokerError(
      'INVALID_REQUEST',
      known
        ? `The network ${nameOf(known)} has no subnet with a free address. Create a subnet there, or choose another network.`
        : `There is no network '${wanted}' ${where}. There are: ${all}.`,
    );
  }
  if (!first) throw new BrokerError('CONFLICT', whyNoNetwork(contents, where));
  return questions.choose(
    'Network of the machines:',
    usable.map((each) => ({ value: each, name: networkLine(each) })),
    first,
  );
}

type Image = SetupChoice['image'];

async function chooseImage(
  { images, incomplete }: AccountContents,
  { image: wanted }: TemplateAnswers,
  questions: Questions,
): Promise<Image> {
  const own = (image_id: string): Image =>
    images.find((each) => each.image_id === image_id) ?? { image_id, description: image_id, arch: null };
  if (wanted !== undefined) return own(wanted);
  const [first] = images;
  if (first)
    return questions.choose(
      'Image of the machines:',
      images.map((each) => ({ value: each, name: [each.description, each.arch].filter(Boolean).join(', ') })),
      first,
    );
  const id = (await questions.text('Image of the machines (its id):', '')).trim();
  if (id !== '') return own(id);
  const why = incomplete.find(({ list }) => list === 'images')?.message;
  throw new BrokerError(
    'INVALID_REQUEST',
    `No image can be proposed. ${why ?? 'The provider lists none.'} Name one with --image.`,
  );
}

async function chooseKeyPair(
  { key_pairs, incomplete }: AccountContents,
  { key_pair: wanted }: TemplateAnswers,
  questions: Questions,
): Promise<string | null> {
  if (wanted !== undefined) {
    const isUnread = incomplete.some(({ list }) => list === 'key_pairs');
    if (isUnread || key_pairs.some(({ name }) => name === wanted)) return wanted;
    const all = key_pairs.map(({ name }) => name).join(', ') || 'none';
    throw new BrokerError('INVALID_REQUEST', `There is no key pair '${wanted}'. There are: ${all}.`);
  }
  if (key_pairs.length === 0) return null;
  return questions.choose<string | null>(
    'Key pair for SSH:',
    [{ value: null, name: 'none' }, ...key_pairs.map(({ name }) => ({ value: name, name }))],
    null,
  );
}
