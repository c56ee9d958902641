import { jsonFingerprint } from '../model/ids.ts';
import type { BrokerRecord, SelectionTerms, ServedInstance } from '../model/broker.ts';

type Described = Pick<BrokerRecord, 'broker_id' | 'host' | 'pid' | 'serves' | 'template_files'>;

/**
 * How the instances and template files of a broker differ from those of the other live brokers: a request would get
 * other machines depending on the broker that accepts it.
 */
export function differencesOf(
  broker: Pick<Described, 'broker_id' | 'serves' | 'template_files'>,
  live: readonly Described[],
): readonly string[] {
  return live.flatMap((other) => {
    if (other.broker_id === broker.broker_id) return [];
    const where = `the broker on ${other.host} (pid ${other.pid})`;
    return [
      ...broker.serves.flatMap((mine) => {
        const theirs = other.serves.find(({ name }) => name === mine.name);
        return theirs ? instanceDifference(mine, theirs, where) : [];
      }),
      ...fileDifference(broker, other, where),
    ];
  });
}

/** A request goes only to brokers with the cloud that it began at. */
function instanceDifference(mine: ServedInstance, theirs: ServedInstance, where: string): readonly string[] {
  const { name, identity } = mine;
  const found: string[] = [];
  if (identity !== undefined && theirs.identity !== undefined && identity !== theirs.identity)
    found.push(
      `Instance '${name}' is '${identity}' here and '${theirs.identity}' at ${where}. Give different clouds different names.`,
    );
  const fields = theirs.terms && mine.terms ? differingTerms(mine.terms, theirs.terms) : [];
  if (fields.length > 0)
    found.push(`Instance '${name}' differs from that of ${where} in ${fields.join(', ')}. Configure it the same.`);
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
  theirs: Described,
  where: string,
): readonly string[] {
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
  return [`${files} from those of ${where}. Give all brokers the same files, and refresh the templates.`];
}

const quoted = (first: string, more: readonly string[]): string =>
  [first, ...more].map((file) => `'${file}'`).join(', ');
