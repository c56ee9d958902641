import * as ec2 from '@aws-sdk/client-ec2';
import { actionNames } from '../../plugins/cloud-simulator/actions/action-names.ts';
import { madeFile, type Page } from './page.ts';

/**
 * The names of the parameters that the simulated actions of EC2 have, from the SDK's model of the service, so that the
 * simulated cloud refuses every other name without loading the SDK.
 */
export const simulatorParametersPage: Page = {
  name: 'simulator-parameters',
  make: async () => {
    const shapes: Record<string, Record<string, string>> = {};
    for (const name of actionNames.ec2) {
      const Command = (ec2 as unknown as Record<string, new (input: object) => { readonly schema: Operation }>)[
        `${name}Command`
      ];
      if (Command === undefined) throw new Error(`The SDK has no ${name}Command.`);
      shapes[name] = membersOf(new Command({}).schema[4], shapes);
    }
    const sorted = Object.fromEntries(Object.entries(shapes).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return [
      madeFile(
        'plugins/cloud-simulator/wire/parameters/parameter-names.json',
        () => `${JSON.stringify(sorted, null, 2)}\n`,
      ),
    ];
  },
};

// Schemas are the SDK's static tuples: a number for a scalar or a list of scalars, `[kind, namespace, name, traits, …]`
// for others, and a function or a pair with traits where a member refers to one.
type Operation = readonly [kind: number, namespace: string, name: string, traits: unknown, input: unknown];

const list = 1;
const structure = 3;
const scalarList = 64;

/** The names of the members of a structure, with what each holds; structures below it are added to `shapes`. */
function membersOf(reference: unknown, shapes: Record<string, Record<string, string>>): Record<string, string> {
  const schema = resolve(reference) as readonly unknown[];
  if (schema[0] !== structure) return {};
  const members: Record<string, string> = {};
  for (const [index, name] of (schema[4] as readonly string[]).entries()) {
    const member = (schema[5] as readonly unknown[])[index];
    members[spelled(name, traitsOf(member))] = kindOf(member, shapes);
  }
  return members;
}

/** Empty for a scalar, else the name of a structure; with `[]` for a list of either. */
function kindOf(member: unknown, shapes: Record<string, Record<string, string>>): string {
  const schema = resolve(member);
  if (typeof schema === 'number') return schema >= scalarList ? '[]' : '';
  const parts = schema as readonly unknown[];
  if (parts[0] === list) return `${kindOf(parts[4], shapes)}[]`;
  if (parts[0] !== structure) return '';
  const name = String(parts[2]);
  if (shapes[name] === undefined) {
    shapes[name] = {};
    Object.assign(shapes[name], membersOf(parts, shapes));
  }
  return name;
}

function spelled(name: string, traits: Readonly<Record<string, string>>): string {
  if (traits['ec2QueryName'] !== undefined) return traits['ec2QueryName'];
  const key = traits['xmlName'] ?? name;
  return key.charAt(0).toUpperCase() + key.slice(1);
}

function resolve(reference: unknown): unknown {
  if (typeof reference === 'function') return resolve((reference as () => unknown)());
  if (Array.isArray(reference) && reference.length === 2 && typeof reference[0] !== 'string')
    return resolve(reference[0]);
  return reference;
}

function traitsOf(member: unknown): Readonly<Record<string, string>> {
  const traits: unknown = Array.isArray(member) && member.length === 2 ? member[1] : undefined;
  return typeof traits === 'object' && traits !== null ? (traits as Record<string, string>) : {};
}
