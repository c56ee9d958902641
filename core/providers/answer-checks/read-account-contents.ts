import {
  accountLists,
  mostListed,
  type AccountContents,
  type AccountList,
} from '../../contract/provider/account-contents.ts';
import { assertBoolean, assertCount, assertKnown, assertObject, assertShortText, type Given } from './assertions.ts';
import { ContractViolation } from './contract-violation.ts';

const mostCharacters = 512;
/** The texts of one answer together: callers get it as a whole, and what writes it does nothing else meanwhile. */
const mostCharactersInAll = 4_000_000;
const knownLists: ReadonlySet<unknown> = new Set(accountLists);

/** Checks one field of an entry. */
type FieldCheck = (value: unknown, path: string, name: string) => void;

const text: FieldCheck = (value, path, name) => assertShortText(value, path, name, mostCharacters);
const textOrNull: FieldCheck = (value, path, name) => value === null || text(value, path, name);
const countOrNull: FieldCheck = (value, path, name) => value === null || assertCount(value, path, name);

/** The fields of the entries of each list. */
const fields: Readonly<Record<AccountList, Readonly<Record<string, FieldCheck>>>> = {
  networks: { id: text, name: textOrNull, address_block: textOrNull, is_default: assertBoolean },
  subnets: {
    id: text,
    name: textOrNull,
    network_id: text,
    zone: textOrNull,
    address_block: textOrNull,
    free_addresses: countOrNull,
  },
  security_groups: { id: text, name: textOrNull, network_id: textOrNull },
  key_pairs: { name: text },
  images: { image_id: text, description: text, arch: textOrNull },
};

/**
 * Checks the answer of `discover`, and returns the fields of the contract alone: it goes to another thread. Reads each
 * field once, since a plugin may compute it.
 */
export function readAccountContents(value: unknown): AccountContents {
  const given = assertObject(value, '', 'the contents of an account');
  const read = accountLists.map((name) => [name, readList(given[name], `/${name}`, fields[name])] as const);
  const characters = read.reduce((all, [, entries]) => all + charactersOf(entries), 0);
  if (characters > mostCharactersInAll)
    throw new ContractViolation('', value, `contents with at most ${mostCharactersInAll} characters in all texts`);
  return { ...Object.fromEntries(read), incomplete: readIncomplete(given['incomplete']) } as AccountContents;
}

function readList(value: unknown, path: string, checks: Readonly<Record<string, FieldCheck>>): Given[] {
  return entriesOf(value, path).map((entry, index) => {
    const at = `${path}/${index}`;
    const given = assertObject(entry, at, 'an object');
    return Object.fromEntries(
      Object.entries(checks).map(([name, check]) => {
        const field = given[name];
        check(field, at, `/${name}`);
        return [name, field];
      }),
    );
  });
}

const charactersOf = (entries: readonly Given[]): number =>
  entries.reduce((all, entry) => all + Object.values(entry).reduce(addLength, 0), 0);

const addLength = (all: number, value: unknown): number => (typeof value === 'string' ? all + value.length : all);

function readIncomplete(value: unknown): AccountContents['incomplete'] {
  return entriesOf(value, '/incomplete').map((entry, index) => {
    const path = `/incomplete/${index}`;
    const { list, message } = assertObject(entry, path, 'a list and a message');
    assertKnown(list, knownLists, path, '/list', accountLists);
    assertShortText(message, path, '/message', 2_000);
    return { list, message } as AccountContents['incomplete'][number];
  });
}

/** The entries in a list of our own: that of a plugin may have methods of its own. */
function entriesOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length > mostListed)
    throw new ContractViolation(path, value, `a list of at most ${mostListed}`);
  const given = value as readonly unknown[];
  return Array.from({ length: given.length }, (_, index) => given[index]);
}
