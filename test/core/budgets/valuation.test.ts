import test from 'ava';
import { Valuation } from '../../../core/budgets/valuation.ts';
import type { OfferTerms, Template } from '../../../core/index.ts';
import type { ProviderDirectory } from '../../../core/providers/directory.ts';

const template: Template = { template_id: 'small' };
const offers = [{ key: 'pool' }];

/** A directory whose plugin says this of each offer; undefined: the plugin does not answer. */
function directoryOf(known: { terms: OfferTerms | undefined; types_at?: number }) {
  const asked = { times: 0 };
  const directory = {
    instance: (name: string) => ({ name, type: 'cloud' }),
    machineTypesAt: () => known.types_at,
    offerTerms: () => {
      asked.times += 1;
      return known.terms && [known.terms];
    },
  } as unknown as ProviderDirectory;
  return { asked, of: new Valuation(directory) };
}

test('an order is valued once, also when nothing is known of its machines', (t) => {
  for (const terms of [{}, { vcpus: 2 }, { vcpus: 2, price: { usd_per_hour: 1, source: 'own' } }] as const) {
    const { asked, of } = directoryOf({ terms });
    for (let i = 0; i < 3; i++) t.is(of.ofOrder('east', template, offers).vcpus, terms.vcpus);
    t.is(asked.times, 1);
  }
});

test('what was not known is asked again when machine types were discovered', (t) => {
  const known: Parameters<typeof directoryOf>[0] = { terms: {} };
  const { asked, of } = directoryOf(known);
  of.ofOrder('east', template, offers);
  known.terms = { vcpus: 4 };
  t.is(of.ofOrder('east', template, offers).vcpus, undefined);
  known.types_at = 5;
  t.is(of.ofOrder('east', template, offers).vcpus, 4);
  t.is(asked.times, 2);
});

test('a plugin that does not answer is asked again', (t) => {
  const known: Parameters<typeof directoryOf>[0] = { terms: undefined };
  const { of } = directoryOf(known);
  of.ofOrder('east', template, offers);
  known.terms = { vcpus: 4 };
  t.is(of.ofOrder('east', template, offers).vcpus, 4);
});
