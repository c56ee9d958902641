import test from 'node:test';
import { testProvider } from 'muster/plugin-testkit';
import acme from 'acme-machines';

let racks = 0;
testProvider({
  test,
  plugin: acme,
  open: () => ({ config: { rack: `k${(racks += 1)}` } }),
  // Whatever is asked of it is done at once.
  settle: () => undefined,
});
