import { jsonFingerprint } from '../model/ids.ts';
import type { BrokerRecord, SelectionTerms, ServedInstance } from '../model/broker.ts';

type Described = Pick<BrokerRecord, 'broker_id' | 'host' | 'pid' | 'serves' | 'template_files'>;
type Compared = Pick<Described, 'broker_id' | 'serves' | 'template_files'>;

/** A sentence about a difference, given where the other broker is. */
type Difference = (where: string) => string;

/**
 * How the instances and template files of a broker differ from those of the other live brokers: a request would get
 * other machines depending on the broker that accepts it. One sentence for each difference to each broker.
 */
export function differencesOf(broker: Compared, live: readonly Described[]): readonly string[] {
  return live.flatMap((other) => differencesTo(broker, other).map((each) => each(whereOf([other]))));
}

/** The same, with one sentence for all brokers that differ in the same way. */
export function sharedDifferencesOf(broker: Compared, live: readonly Described[]): readonly string[] {
  const same = new Map<string, { readonly each: Difference; readonly others: Described[] }>();
  for (const other of live)
    for (const each of differencesTo(broker, other)) {
      const known = same.get(each(''));
      if (known) known.others.push(other);
      else same.set(each(''), { each, others: [other] });
    }
  return [...same.values()].map(({ each, others }) => each(whereOf(others)));
}

function differencesTo(broker: Compared, other: Described): readonly Difference[] {
  if (other.broker_id === broker.broker_id) return [];
  return [
    ...broker.serves.flatMap((mine) => {
      const theirs = other.serves.find(({ name }) => name === mine.name);
      return theirs ? instanceDifference(mine, theirs) : [];
    }),
    ...fileDifference(broker, other),
  ];
}

/** The most brokers that one sentence names. */
const mostNamed = 3;

function whereOf(others: readonly Described[]): string {
  const named = others.slice(0, mostNamed).map(({ host, pid }) => `${host} (pid ${pid})`);
  const more = others.length - named.length;
  return `the broker${others.length === 1 ? '' : 's'} on ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A request goes only to brokers with the cloud that it began at. */
function instanceDifference(mine: ServedInstance, theirs: ServedInstance): readonly Difference[] {
  const { name, identity } = mine;
  const found: Difference[] = [];
  if (identity !== undefined && theirs.identity !== undefined && identity !== theirs.identity)
    found.push(
      (where) =>
        `Instance '${name}' is '${identity}' here and '${theirs.identity}' at ${where}. Give different clouds different names.`,
    );
  const fields = theirs.terms && mine.terms ? differingTerms(mine.terms, theirs.terms) : [];
  if (fields.length > 0)
    found.push(
      (where) => `Instance '${name}' differs from that of ${where} in ${fields.join(', ')}. Configure it the same.`,
    );
  return found;
}

/** A broker of another version may not tell each of them. */
function differingTerms(mine: SelectionTerms, theirs: Partial<SelectionTerms>): readonly string[] {
  const told = (field: keyof SelectionTerms): boolean => theirs[field] !== undefined;
  const fields = (Object.keys(mine) as (keyof SelectionTerms)[]).filter(told);
  return fields.filter((field) => jsonFingerprint(mine[field]) !== jsonFingerprint(theirs[field]));
}

/** Files of an instance that only one of the brokers has are read there alone. */
function fileDifference(
  mine: Pick<Described, 'serves' | 'template_files'>,
  theirs: Pick<Described, 'serves' | 'template_files'>,
): readonly Difference[] {
  if (!mine.template_files || !theirs.template_files) return [];
  const has = (serves: readonly ServedInstance[], name: string) => serves.some((each) => each.name === name);
  const single = [...mine.serves, ...theirs.serves].filter(
    ({ name }) => !(has(mine.serves, name) && has(theirs.serves, name)),
  );
  const names = new Set([...Object.keys(mine.template_files), ...Object.keys(theirs.template_files)]);
  const differing = [...names].filter(
    (file) =>
      mine.template_files?.[file] !== theirs.template_files?.[file] &&
      !single.some(({ name }) => file.startsWith(`${name}_templates.`)),
  );
  if (differing.length === 0) return [];
  const [first = '', ...more] = differing.toSorted();
  const files =
    more.length === 0 ? `Template file '${first}' differs` : `Template files ${quoted(first, more)} differ`;
  return [(where) => `${files} from those of ${where}. Give all brokers the same files, and refresh the templates.`];
}

const quoted = (first: string, more: readonly string[]): string =>
  [first, ...more].map((file) => `'${file}'`).join(', ');
