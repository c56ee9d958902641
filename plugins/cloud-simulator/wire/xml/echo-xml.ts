import { isList, type Params } from '../form.ts';
import { escapeXml, itemSet, leaf, node } from './xml.ts';

/** Answer names of request parameters that do not follow the rules. */
export type EchoNames = Readonly<Record<string, string>>;

/**
 * Encodes parameters of a call as an answer: `Placement.GroupName=x` is `<placement><groupName>x`, and the list
 * `CpuManufacturer.1=intel` is `<cpuManufacturerSet><item>intel`. A list name that already ends in `Set` does not
 * change.
 */
export function echoXml(params: Params, names: EchoNames = {}): string {
  let xml = '';
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'string') xml += leaf(names[name] ?? lowerFirst(name), value);
    else if (!isList(value)) xml += node(names[name] ?? lowerFirst(name), echoXml(value, names));
    else {
      const entry = (one: string | Params) => (typeof one === 'string' ? escapeXml(one) : echoXml(one, names));
      xml += itemSet(names[name] ?? setName(name), Object.values(value), entry);
    }
  }
  return xml;
}

/** An override of a fleet as answers show it: with only the group of its placement. */
export function overrideXml(override: Params): string {
  const { Placement: placement, ...rest } = override;
  const group = typeof placement === 'object' ? placement['GroupName'] : undefined;
  return echoXml(group === undefined ? rest : { ...rest, Placement: { GroupName: group } });
}

function setName(name: string): string {
  return name.endsWith('Set') ? lowerFirst(name) : `${lowerFirst(name)}Set`;
}

export function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
