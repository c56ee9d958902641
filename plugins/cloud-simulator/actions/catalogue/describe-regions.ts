import { regions } from '../../catalogue.ts';
import type { Action } from '../../dispatch/action.ts';
import { invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { itemSet, leaf } from '../../wire/xml/xml.ts';

const fields: FilterFields<string> = {
  endpoint: endpointOf,
  'opt-in-status': () => 'opt-in-not-required',
  'region-name': (name) => name,
};

/** Shows the regions of the catalogue and the region of the call. */
export const describeRegions: Action = {
  name: 'DescribeRegions',
  mutating: false,
  handle(call) {
    const filters = readFilters(call.params, fields, false);
    const known = [...new Set([...regions.keys(), call.state.region])];
    const names = texts(call.params, 'RegionName');
    const missing = names.find((name) => !known.includes(name));
    if (missing !== undefined) throw invalidParameter(`Invalid region provided: [${missing}]`);
    const chosen = (names.length > 0 ? names : known).filter((name) => passes(name, filters, fields));
    return itemSet(
      'regionInfo',
      chosen,
      (name) =>
        leaf('regionName', name) +
        leaf('regionEndpoint', endpointOf(name)) +
        leaf('optInStatus', 'opt-in-not-required'),
    );
  },
};

function endpointOf(name: string): string {
  return `ec2.${name}.amazonaws.com`;
}
