import { type Params, part, parts, texts } from './form.ts';

// Lists of all services except EC2 have one more level: `InstanceIds.member.1`, and `<InstanceIds><member>…` in
// answers.

/** Plain texts of `NAME.member.N`. */
export function memberTexts(params: Params | undefined, name: string): string[] {
  return texts(part(params, name), 'member');
}

/** Parts of `NAME.member.N`. */
export function memberParts(params: Params | undefined, name: string): Params[] {
  return parts(part(params, name), 'member');
}

/** `<NAME><member>…</member>…</NAME>`; an empty list is `<NAME/>`. */
export function memberSet<T>(name: string, entries: Iterable<T>, inner: (entry: T) => string): string {
  let members = '';
  for (const entry of entries) members += `<member>${inner(entry)}</member>`;
  return members === '' ? `<${name}/>` : `<${name}>${members}</${name}>`;
}
