import { Type, type Static } from 'typebox';

const text = (description: string) => Type.String({ minLength: 1, maxLength: 512, description });
const orNull = <S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const name = () => orNull(text('The name that the account gave it.'));

/** A private network, such as a VPC. */
const Network = Type.Object({
  id: text('Id.'),
  name: name(),
  address_block: orNull(text('The addresses in CIDR notation.')),
  is_default: Type.Boolean({ description: 'Machines that name no subnet start in this network.' }),
});

/** A part of a network, in one zone. */
const Subnet = Type.Object({
  id: text('Id.'),
  name: name(),
  network_id: text('The network that it belongs to.'),
  zone: orNull(text('Zone.')),
  address_block: orNull(text('The addresses in CIDR notation.')),
  free_addresses: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'How many machines still get an address. null: not counted, as for IPv6.',
  }),
});

/** A set of rules for the traffic of machines. */
const SecurityGroup = Type.Object({ id: text('Id.'), name: name(), network_id: orNull(text('The network.')) });

/** A public key that machines accept. */
const KeyPair = Type.Object({ name: text('The name, as `key_name` of templates has it.') });

/** An image that machines can start from. */
const Image = Type.Object({
  image_id: text('What `image_id` of a template holds: an id, or a reference that stays current.'),
  description: text('What the image contains.'),
  arch: orNull(text('Processor architecture.')),
});

const lists = ['networks', 'subnets', 'security_groups', 'key_pairs', 'images'] as const;

/** The lists of the contents of an account. */
export type AccountList = (typeof lists)[number];
export const accountLists: readonly AccountList[] = lists;

/** The most entries of one list. */
export const mostListed = 5_000;

const list = <S extends ReturnType<typeof Type.Object>>(schema: S, description: string) =>
  Type.Array(schema, { maxItems: mostListed, description });

/** What templates of a provider instance can name, as it is in the account now. */
export const AccountContents = Type.Object({
  networks: list(Network, 'Private networks, the default one first.'),
  subnets: list(Subnet, 'Subnets of all networks.'),
  security_groups: list(SecurityGroup, 'Security groups of all networks.'),
  key_pairs: list(KeyPair, 'Key pairs for SSH.'),
  images: list(Image, 'Images to start with, the most usual first; not all images of the provider.'),
  incomplete: Type.Array(
    Type.Object({
      list: Type.Enum([...lists]),
      message: Type.String({ description: 'Why entries are missing, and what to do.' }),
    }),
    { description: 'Lists that are not complete, for example because a permission is missing.' },
  ),
});
export type AccountContents = Static<typeof AccountContents>;
