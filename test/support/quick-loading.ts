/**
 * Loaded before everything else in the processes of tests: half of the time of loading goes without it to the search
 * for files whose names are known, and to the many files of typebox. What is tested is loaded from its sources.
 */
import { registerHooks } from 'node:module';
import { useFastLoading } from '../../host/process/fast-loading.ts';

useFastLoading({ bundled: false });
const tests = new URL('..', import.meta.url).href;
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || !parentURL?.startsWith(tests))
      return next(specifier, context);
    return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});
